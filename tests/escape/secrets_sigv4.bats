#!/usr/bin/env bats
# Requests that a box signs with placeholders of AWS, and the host with the keys (invariants 4, 5): by curl, against a
# server that checks the signatures itself.

load escape.bash
load secrets.bash

# The lab gives its user /etc/hosts and the ports from 80.
setup_file() {
    [ -w /etc/hosts ] || skip "needs a host whose /etc/hosts the user may write, such as the lab"
    export REAL_ID=ASIAREALREALREALREAL REAL_KEY=realKEYrealKEYrealKEY/realKEYreal+KEY000
    export REAL_TOKEN=IQoJb3JpZ2luX2Vjreal//////////wEaCXVzLWVhc3QtMSJGMEQCIreal==
    escape_setup_file
    OWN=$(ip -4 -o address show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
    export OWN
    echo "$OWN sts.aws.test s3.aws.test other.aws.test" >>/etc/hosts
    secrets_server sigv4_server.py sts.aws.test s3.aws.test other.aws.test
    export SSL_CERT_FILE=$TEST_HOME/ca.pem
    escape_config "[network]
mode = \"filtered\"
allow = [\"other.aws.test\", \"$OWN:443\"]
[box]
idle_stop = \"never\""
    # What `aws configure export-credentials` prints.
    printf '{\n  "Version": 1,\n  "AccessKeyId": "%s",\n  "SecretAccessKey": "%s",\n  "SessionToken": "%s"\n}\n' \
        "$REAL_ID" "$REAL_KEY" "$REAL_TOKEN" >"$TEST_HOME/credentials.json"
    box secret add aws --host sts.aws.test --host s3.aws.test --as sigv4 --source "command:cat $TEST_HOME/credentials.json"
    box secret attach aws
    box run -- true
}
teardown_file() {
    [ -n "${SERVER:-}" ] || return 0
    kill "$SERVER"
    sed '/aws\.test/d' /etc/hosts >"$TEST_HOME/hosts" && cat "$TEST_HOME/hosts" >/etc/hosts
    box secret remove aws
    box_teardown
}
setup() {
    escape_setup
    : >"$TEST_HOME/seen"
}

# calls COMMAND: by the box's shell, where `aws SERVICE ARGUMENT...` is curl that signs for SERVICE.
calls() {
    # shellcheck disable=SC2016 # the box's shell expands these
    run in_box sh -c 'aws() {
            service=$1; shift
            curl -sS --aws-sigv4 "aws:amz:eu-west-1:$service" -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
                -H "x-amz-security-token: $AWS_SESSION_TOKEN" "$@"
        }
        '"$1"
}
seen() { run cat "$TEST_HOME/seen"; }
no_secret() { # TEXT
    [[ $1 != *"$REAL_ID"* && $1 != *"$REAL_KEY"* && $1 != *"$REAL_TOKEN"* ]] || fail "a secret is in: $1"
}

@test "sigv4: what curl signs with placeholders arrives signed with the keys (5)" {
    # shellcheck disable=SC2016
    calls 'echo "$AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY $AWS_SESSION_TOKEN"
        aws sts -d "Action=GetCallerIdentity&Version=2011-06-15" https://sts.aws.test/
        aws s3 "https://s3.aws.test/bucket/a%20b?list-type=2&prefix=x%2Fy"
        aws s3 -X PUT -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" -H "x-amz-acl: private" --data-binary @/bin/bash https://s3.aws.test/bucket/bash
        head -c 5000000 /dev/urandom >/tmp/body
        aws bedrock -H "Expect: 100-continue" --data-binary @/tmp/body https://sts.aws.test/model \
            --next -sS -H "x-amz-date: none" https://sts.aws.test/unsigned; rm /tmp/body'
    [[ ${lines[0]} =~ ^ASIA[A-Z2-7]{16}\ [a-zA-Z0-9]{40}\ [a-zA-Z0-9]{128}$ ]] || fail "$output"
    no_secret "$output"
    assert_contains "unsigned"
    seen
    assert_output "signed eu-west-1 sts POST sts.aws.test/ 43
signed eu-west-1 s3 GET s3.aws.test/bucket/a%20b?list-type=2&prefix=x%2Fy 0
signed eu-west-1 s3 PUT s3.aws.test/bucket/bash $(stat -Lc %s /bin/bash)
signed eu-west-1 bedrock POST sts.aws.test/model 5000000
unsigned GET sts.aws.test/unsigned 0"
}

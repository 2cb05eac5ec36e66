#!/usr/bin/env bats
# Requests that a box signs with placeholders of AWS, and the host with the keys (invariants 4, 5): by curl, against a
# server that checks the signatures itself.

load escape.bash
load secrets.bash

setup_file() {
    export REAL_ID=ASIAREALREALREALREAL REAL_KEY=realKEYrealKEYrealKEY/realKEYreal+KEY000
    export REAL_TOKEN=IQoJb3JpZ2luX2Vjreal//////////wEaCXVzLWVhc3QtMSJGMEQCIreal==
    secrets_begin sigv4_server.py {sts,s3,other}.aws.test
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
    secrets_end aws.test || return 0
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
                ${AWS_SESSION_TOKEN:+-H "x-amz-security-token: $AWS_SESSION_TOKEN"} "$@"
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

@test "sigv4: what cannot be signed anew is refused with the reason, and reaches no server (4, 5)" {
    run in_box python3 - <"$BATS_TEST_DIRNAME/sigv4_requests.py"
    assert_output "good: 200
two in a row: 200 200
long behind short: 200 200
unsigned: 200
values: 200
path: 200
late: 403 its X-Amz-Date is more than 15 minutes from now
early: 403 its X-Amz-Date is more than 15 minutes from now
no host: 403 its signature leaves out Host or a field of AWS (X-Amz-...)
no date: 403 its signature leaves out Host or a field of AWS (X-Amz-...)
field of AWS: 403 its signature leaves out Host or a field of AWS (X-Amz-...)
second date: 403 it has a field of its signature twice
second key: 403 it has a field of its signature twice
other token: 403 its X-Amz-Security-Token is not the placeholder
chunk signatures: 403 its X-Amz-Content-Sha256 says that parts of the body are signed, too, which cannot be done anew: have the client sign the whole body, or none of it
chunks: 403 it cannot be signed before its chunks have come: have the client send a Content-Length, or X-Amz-Content-Sha256
no key: 403 its signature does not fit: it was signed with another secret access key, or changed after that
other body: 403 its signature does not fit: it was signed with another secret access key, or changed after that
other method: 403 its signature does not fit: it was signed with another secret access key, or changed after that
other path: 403 its signature does not fit: it was signed with another secret access key, or changed after that
folded: 400 it has a malformed field
key in a field: 403 the placeholder of secret 'aws' is where it must not be
other name: 421 its Host is another one
presigned: 403 a presigned URL is not signed anew: only an Authorization field is
smuggled: 200 421 its Host is another one
endless: 413 a body of more than 32 MiB needs an X-Amz-Content-Sha256 to be signed"
    seen
    assert_output "signed eu-west-1 sts POST sts.aws.test/ 3
signed eu-west-1 sts POST sts.aws.test/ 70000
signed eu-west-1 sts POST sts.aws.test/ 1
signed eu-west-1 sts POST sts.aws.test/ 1
signed eu-west-1 sts POST sts.aws.test/ 300000
signed eu-west-1 sts POST sts.aws.test/ 8
signed eu-west-1 sts POST sts.aws.test/ 0
signed eu-west-1 sts POST sts.aws.test/a%20(b)/%E4?b=(&a 0
signed eu-west-1 sts POST sts.aws.test/ 2"
    eventually prints "its X-Amz-Date is more than 15 minutes from now" box net log --json --denied
    no_secret "$output"
}

@test "sigv4: an answer with the id, the key, the token or the signature is cut, and nothing else has them (5, 30, 35)" {
    # The control: the server sends them.
    run curl -sS --cacert "$TEST_HOME/ca.pem" --aws-sigv4 aws:amz:eu-west-1:sts -u "$REAL_ID:$REAL_KEY" \
        -H "x-amz-security-token: $REAL_TOKEN" https://sts.aws.test/{id,key,token,authorization}
    [ "${lines[0]} ${lines[1]} ${lines[2]}" = "$REAL_ID $REAL_KEY $REAL_TOKEN" ] || fail "$output"
    # shellcheck disable=SC2016
    calls 'for what in id key token authorization signature; do aws sts "https://sts.aws.test/$what"; done
        env; cat /proc/*/environ 2>/dev/null | tr "\0" "\n"; echo ended'
    assert_contains ended
    no_secret "$output"
    run ! grep -qxE '[0-9a-f]{64}' <<<"$output"
    are_cut() { output=$(box logs --helpers) && [ "$(grep -c "the answer holds the secret itself" <<<"$output")" = "$1" ]; }
    eventually are_cut 5 || fail "$output"
    no_secret "$output"
    run grep -rslFe "$REAL_ID" -e "$REAL_KEY" -e "$REAL_TOKEN" "$RUNTIME" "$STATE" "$DATA" "$PROJECT"
    assert_output ""
    # A host that the secret does not name gets what is worth nothing.
    # shellcheck disable=SC2016
    run in_box sh -c 'curl -sS --cacert /proc/self/fd/0 --aws-sigv4 aws:amz:eu-west-1:sts -u "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
        https://other.aws.test/authorization' <"$TEST_HOME/ca.pem"
    assert_contains "Credential=ASIA"
    no_secret "$output"
}

@test "sigv4: credentials that were made anew are those of programs that run, too (5)" {
    local before
    # shellcheck disable=SC2016
    before=$(in_box sh -c 'echo "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY:$AWS_SESSION_TOKEN"')
    echo "ASIAOTHEROTHEROTHERA:other/other/other+other+other/otherABCDEF:otherTOKENotherTOKEN" >"$TEST_HOME/others"
    cp "$TEST_HOME/credentials.json" "$TEST_HOME/first"
    cp "$TEST_HOME/others" "$TEST_HOME/credentials.json"
    box secret attach aws
    # shellcheck disable=SC2016
    [ "$(in_box sh -c 'echo "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY:$AWS_SESSION_TOKEN"')" = "$before" ]
    calls 'aws sts https://sts.aws.test/'
    assert_output wrong
    cp "$TEST_HOME/first" "$TEST_HOME/credentials.json"
    box secret attach aws
    # shellcheck disable=SC2016
    calls 'aws sts https://sts.aws.test/; unset AWS_SESSION_TOKEN; aws sts https://sts.aws.test/'
    assert_output "$(printf '%s\n' "signed eu-west-1 sts" "signed eu-west-1 sts")"
}

@test "secret: sigv4 stands alone, for hosts that are named, and its value has two or three parts" {
    local wrong
    for wrong in "--as sigv4,bearer" "--as sigv4 --variable A" "--as sigv4 --base-url-variable A" "--as sigv4 --host *.aws.test"; do
        # shellcheck disable=SC2086 # words
        run box secret add x --host a.test --source env:REAL_KEY $wrong
        [ "$status" != 0 ] || fail "$wrong"
    done
    box secret add x --host a.test --source env:REAL_KEY --as sigv4
    run box secret test x
    [ "$status" != 0 ]
    assert_contains "it is not ID:SECRET, ID:SECRET:TOKEN or the JSON of 'aws configure export-credentials'"
    no_secret "$output"
    run box secret add x --host a.test --as sigv4 --value-fd 0 <<<"$REAL_KEY"
    [ "$status" != 0 ]
    box secret add x --host a.test --as sigv4 --value-fd 0 <"$TEST_HOME/credentials.json"
    box secret test x
    # Its variables are those of the other one, which the box has: it could have the placeholders of one alone.
    run box secret attach x
    assert_status 125
    assert_contains "has secret 'aws', which sets AWS_ACCESS_KEY_ID, too"
    box secret add y --host b.test --as header:x-y --variable AWS_SESSION_TOKEN --source env:REAL_KEY
    run box secret attach y
    assert_contains "has secret 'aws', which sets AWS_SESSION_TOKEN, too"
    run box secret list --json
    [ "$(jq -r '.[] | select(.boxes | length > 0) | .name' <<<"$output")" = aws ]
    box secret attach aws # again
    box secret remove x
    box secret remove y
}

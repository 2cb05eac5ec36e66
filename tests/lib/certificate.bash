# A server's certificate, of an authority of its own. Sourced.
# shellcheck shell=bash

# make_certificate FOLDER NAME…: FOLDER gets cert.pem and key.pem of a server with the NAMEs, and ca.pem of its authority.
make_certificate() {
    local folder=$1 names
    names=$(printf ',DNS:%s' "${@:2}")
    (
        cd "$folder" &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Company -keyout ca.key -out ca.pem &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -keyout key.pem -out server.csr &&
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem \
                -extfile <(echo "subjectAltName=${names:1}")
    ) 2>/dev/null
}

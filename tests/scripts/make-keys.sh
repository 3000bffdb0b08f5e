#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands of "How to make keys" in docs/security.md, as they stand there, make keys and
# certificates that are what the text says, and that the elements accept.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have openssl || skip "openssl is not installed"
checker=$(cd "$(build_directory)" && pwd)/tests/check-credentials
[ -x "$checker" ] || skip "the plugin is not built"

awk '/^## / { is_here = /^## How to make keys$/ }
  /^```$/ { is_command = 0 }
  is_here && is_command
  /^```sh$/ { is_command = 1 }' "$ROOT/docs/security.md" >"$SCRATCH/commands"
equals "commands of the page" 12 "$(grep -c '^openssl ' "$SCRATCH/commands")"
cd "$SCRATCH"
bash -eu commands >output 2>&1 || {
  cat output
  fail "a command of the page"
}

for key in sink source ca; do
  equals "mode of $key.key" 600 "$(stat -c %a $key.key)"
  contains <(openssl pkey -in $key.key -noout -text) "Private-Key: (3072 bit"
done
contains sink-encrypted.key "BEGIN ENCRYPTED PRIVATE KEY"
openssl verify -CAfile ca.crt sink.crt source.crt >verified
equals "certificates of the CA" "sink.crt: OK source.crt: OK" "$(paste -sd ' ' verified)"

# accepted MODE OPTION=VALUE...: prints how keys will be exchanged
accepted() {
  "$checker" "$@" || fail "credentials: $*"
}
equals "public keys, sender" RSA "$(accepted sender private-key-file=sink.key peer-public-key-file=source.pub)"
equals "public keys, receiver" RSA "$(accepted receiver private-key-file=source.key peer-public-key-file=sink.pub)"
equals "an encrypted key" RSA \
  "$(accepted sender private-key-file=sink-encrypted.key private-key-passphrase='choose your own words' peer-public-key-file=source.pub)"
equals "a certificate of the own" RSA_R \
  "$(accepted receiver private-key-file=source.key certificate-file=source-self.crt peer-public-key-file=sink.pub)"
equals "a certificate of the peer" RSA "$(accepted sender private-key-file=sink.key peer-certificate-file=source-self.crt)"
equals "a CA, sender" RSA_R "$(accepted sender private-key-file=sink.key certificate-file=sink.crt ca-file=ca.crt)"
equals "a CA, receiver" RSA_R "$(accepted receiver private-key-file=source.key certificate-file=source.crt ca-file=ca.crt)"

# The CA vouches for both ends, each for what it does and for its name, and for nobody else.
by_ca="private-key-file=sink.key certificate-file=sink.crt ca-file=ca.crt"
# refused WHY MODE OPTION=VALUE...
refused() {
  local why=$1
  shift
  ! "$checker" "$@" 2>errors || fail "accepted: $*"
  contains errors "$why"
}
# shellcheck disable=SC2086 # $by_ca is several words
{
  accepted receiver private-key-file=source.key ca-file=ca.crt peer-name=sink.example.org verify=sink.crt >/dev/null
  accepted sender $by_ca peer-name=source.example.org verify=source.crt >/dev/null
  refused "is not for encrypted keys" sender $by_ca verify=sink.crt
  refused "has no subjectAltName source.example.org" receiver private-key-file=source.key ca-file=ca.crt \
    peer-name=source.example.org verify=sink.crt
  refused "the peer's certificate is refused: self-signed certificate" sender $by_ca verify=source-self.crt
}

#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# RSA keys of OpenSSL have the private exponent of Carmichael's function, see carmichael.py.
# carmichael.sh [KEYS [ROUNDS [BITS]]]: the numbers of keys and of timed decryptions with each key,
# and the length of the keys. With ROUNDS 0, as in the tests, no time is measured.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have openssl || skip "openssl is not installed"
keys=${1:-8} rounds=${2:-0} bits=${3:-2048}

for ((i = 0; i < keys; i++)); do
  openssl genrsa "$bits" 2>/dev/null | openssl rsa -text -noout >"$SCRATCH/$i" 2>/dev/null
done
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/carmichael.py" "$rounds" "$SCRATCH"/*

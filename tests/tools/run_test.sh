#!/bin/bash
#
# Runs one test file: run_test.sh TEST.py NS_BINARY CASE_FILE [LIBNS_OPS]
set -euo pipefail

NS_BINARY="$2"
NS_CASES="$(dirname "$3")"
export NS_BINARY NS_CASES
if (($# > 3)); then
  export NS_OPS="$4"
fi
# Python takes the folder that the link to a test points to, not this one.
PYTHONPATH="$(dirname "$1")"
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 -W ignore "$1"

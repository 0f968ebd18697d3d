#!/bin/bash
#
# Bounds Bazel's disk cache, which Bazel 4.2.3 lets grow. See --help.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: tools/trim_cache.sh FOLDER GIGABYTES

Deletes the files of a Bazel disk cache that were used least recently, until
what is left has at most so many gigabytes.
USAGE
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
esac
if (($# != 2)) || [[ ! "$2" =~ ^[0-9]+$ ]]; then
  usage >&2
  exit 2
fi
if [[ ! -d "$1" ]]; then
  exit 0 # Nothing has been cached yet.
fi
# Newest first; of the time of last use, file systems keep the day at least.
# A result whose files are gone is computed again.
find "$1" -type f -printf '%A@ %s %p\n' | sort -rn |
  awk -v limit="$2" '
    { sum += $2 }
    sum > limit * 1e9 { sub(/^[^ ]+ [^ ]+ /, ""); print }
  ' | xargs --no-run-if-empty --delimiter='\n' rm -f

#!/bin/bash
#
# Runs the tests and counts them. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/test.sh [ARGUMENT...]

Installs what is missing and runs `bazel test -c opt //...`. Arguments go to
bazel: options (write --name=value), and targets to test instead of //...

The last line is `N passed, N failed`, in test targets. A target that timed out,
did not build or was not reached has failed. Status: bazel's; not 0 when no
test ran.
USAGE
}

# Prints "<passed> <failed>" from the build events that bazel wrote to file $1.
#
# A test target is one with a summary, or one that was configured as a test and
# then did not build: bazel writes no summary of those it never got to. One that
# was built and has no summary was filtered out by its tags.
count_tests() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import json
import sys

tests, built, status = set(), set(), {}
with open(sys.argv[1], encoding='utf-8', errors='replace') as file:
  for line in file:
    try:
      event = json.loads(line)
    except ValueError:
      continue  # Bazel was killed while it wrote this line.
    event_id = event.get('id', {})
    for child in event.get('children', []):
      if 'testSummary' in child:
        status.setdefault(child['testSummary']['label'], set())
    if 'testSummary' in event_id:
      label = event_id['testSummary']['label']
      status.setdefault(label, set()).add(
          event.get('testSummary', {}).get('overallStatus', 'NO_STATUS'))
    elif 'configured' in event:
      configured = event['configured']
      if ('testSize' in configured or
          configured.get('targetKind', '').endswith('_test rule')):
        tests.add(event_id['targetConfigured']['label'])
    elif event.get('completed', {}).get('success'):
      built.add(event_id['targetCompleted']['label'])

for label in tests - built:
  status.setdefault(label, set())
# FLAKY is a pass on a later attempt, where a test is allowed one.
passed = sum(bool(s) and s <= {'PASSED', 'FLAKY'} for s in status.values())
print(passed, len(status) - passed)
PYTHON
}

passed=0
failed=1 # Until bazel has run, what went wrong is one failure.
events=''

# shellcheck disable=SC2317  # trap calls it.
finish() {
  if [[ -n "${events}" ]]; then
    rm -f "${events}"
  fi
  echo "${passed} passed, ${failed} failed"
}

targets=(//...)
for argument in "$@"; do
  case "${argument}" in
    -h | --help)
      usage
      exit 0
      ;;
    --) targets=() ;;
    -*) ;;
    *) targets=() ;;
  esac
done

trap finish EXIT
cd "${NS_ROOT}"
install_packages
events="$(mktemp)"

status=0
run_bazel test -c opt --keep_going --test_output=errors \
  --build_event_json_file="${events}" "$@" "${targets[@]}" || status=$?

if counts="$(count_tests "${events}")"; then
  read -r passed failed <<<"${counts}"
fi
if ((status == 0 && passed + failed == 0)); then
  say "no tests ran"
  status=4 # Bazel's own for this.
elif ((status == 0 && failed > 0)); then
  status=1
fi
if ((status != 0 && failed == 0)); then
  # A library or a BUILD file is broken, or nothing ran, and no test says so.
  failed=1
fi
exit "${status}"

#!/bin/bash
#
# Runs the tests and counts them. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/test.sh [--part=tree|embedding] [--time-limit=SECONDS [--optional]]
                     [ARGUMENT...]

Installs what is missing and runs `bazel test -c opt //...`, here and then in
tests/embedding, a workspace of its own that uses this one. Other arguments go
to bazel: options (write --name=value), and targets to test instead of all.

  --part=PART           only this tree, or only tests/embedding
  --time-limit=SECONDS  stop bazel when so much time has passed
  --optional            only a test that ran to its end and failed has failed

The last line is `N passed, N failed`, in test targets. A target that timed out,
did not build or was not reached has failed. Status: bazel's; not 0 when no
test ran.
USAGE
}

# Prints "<passed> <failed>" from the build events that bazel wrote to file $1.
# With a second argument, counts only tests that ran to their end.
#
# A test target is one with a summary, or one that was configured as a test and
# then did not build: bazel writes no summary of those it never got to. One that
# was built and has no summary was filtered out by its tags.
count_tests() {
  /usr/bin/python3 - "$@" <<'PYTHON'
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
if len(sys.argv) > 2:
  status = {
      label: s for label, s in status.items()
      if s and s <= {'PASSED', 'FLAKY', 'FAILED'}
  }
# FLAKY is a pass on a later attempt, where a test is allowed one.
passed = sum(bool(s) and s <= {'PASSED', 'FLAKY'} for s in status.values())
print(passed, len(status) - passed)
PYTHON
}

passed=0
failed=1 # Until bazel has run, what went wrong is one failure.
events=''
time_limit='' # In seconds since the start of this script.
is_optional=false
part='' # Both.

# shellcheck disable=SC2317  # trap calls it.
finish() {
  if [[ -n "${events}" ]]; then
    rm -f "${events}"
  fi
  echo "${passed} passed, ${failed} failed"
}

# run_bazel, interrupted when the time limit is reached; the status is then 124.
run_bazel_in_time() {
  if [[ -n "${time_limit}" ]]; then
    local left=$((time_limit - SECONDS))
    # shellcheck disable=SC2034  # run_bazel reads it.
    local -a bazel_prefix=(timeout --signal=INT --kill-after=60
      "$((left > 1 ? left : 1))")
  fi
  run_bazel "$@"
}

# Prints where bazel may put the folders that it compiles and tests in: in
# memory, if there is much, as linking their many files on a disk takes an
# eighth of the time to compile.
sandbox_option() {
  local free
  free="$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)"
  if [[ "${free// /}" =~ ^[0-9]+$ && -w /dev/shm ]] && ((free >= 4)); then
    echo --sandbox_base=/dev/shm
  fi
}

# Tests what "$@" says in the current folder, and adds to `passed` and `failed`.
# Returns bazel's status; not 0 when a test failed or none ran.
run_tests() {
  local status=0 counts new_passed=0 new_failed=0
  local -a sandbox
  mapfile -t sandbox < <(sandbox_option)
  local -a reached_only=()
  : >"${events}"
  run_bazel_in_time test -c opt --keep_going --test_output=errors \
    --build_event_json_file="${events}" "${sandbox[@]}" "$@" || status=$?
  if ((status == 124 || status == 137)); then
    say "out of time: stopped after ${SECONDS} seconds"
  fi
  if "${is_optional}"; then
    reached_only=(--reached-only)
    status=0
  fi
  if counts="$(count_tests "${events}" "${reached_only[@]}")"; then
    read -r new_passed new_failed <<<"${counts}"
  fi
  if ((status == 0 && new_passed + new_failed == 0)); then
    if ((${#reached_only[@]} == 0)); then
      say "no tests ran"
      status=4 # Bazel's own for this.
    fi
  elif ((status == 0 && new_failed > 0)); then
    status=1
  fi
  if ((status != 0 && new_failed == 0)); then
    # A library or a BUILD file is broken, or nothing ran, and no test says so.
    new_failed=1
  fi
  passed=$((passed + new_passed))
  failed=$((failed + new_failed))
  return "${status}"
}

targets=(//...)
arguments=()
with_embedding=true
for argument in "$@"; do
  case "${argument}" in
    -h | --help)
      usage
      exit 0
      ;;
    --time-limit=*) time_limit="${argument#--time-limit=}" ;;
    --optional) is_optional=true ;;
    --part=tree | --part=embedding) part="${argument#--part=}" ;;
    --part=*)
      say "${argument}: no such part; use tree or embedding"
      exit 2
      ;;
    -*)
      arguments+=("${argument}")
      # A configuration of our .bazelrc, which the other workspace has not.
      [[ "${argument}" != --config=* ]] || with_embedding=false
      [[ "${argument}" != -- ]] || targets=()
      ;;
    *)
      arguments+=("${argument}")
      targets=()
      ;;
  esac
done
if [[ ! "${time_limit}" =~ ^[0-9]*$ ]]; then
  say "--time-limit=${time_limit}: not a number of seconds"
  exit 2
fi

trap finish EXIT
cd "${NS_ROOT}"
install_packages "${TEST_LISTS[@]}"
events="$(mktemp)"
failed=0

status=0
if [[ "${part}" != embedding ]]; then
  run_tests "${arguments[@]}" "${targets[@]}" || status=$?
fi
if [[ "${part}" != tree ]] && "${with_embedding}" &&
  ((${#targets[@]} > 0)); then
  say "tests/embedding"
  cd tests/embedding
  embedding_status=0
  run_tests "${arguments[@]}" "${targets[@]}" || embedding_status=$?
  if ((status == 0)); then
    status="${embedding_status}"
  fi
fi
exit "${status}"

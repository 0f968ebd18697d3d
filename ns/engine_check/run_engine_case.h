// Runs one call of a quantized op several times, and holds it against float.
#ifndef NS_ENGINE_CHECK_RUN_ENGINE_CASE_H_
#define NS_ENGINE_CHECK_RUN_ENGINE_CASE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ns/engine_check/engine_case.h"

namespace ns {

struct CaseRuns {
  // The threads of an op; the case runs on one thread as well.
  int threads = 2;
  // How often it runs on each.
  int repeats = 3;
  // Whether the op is lowered to the kernels of ns first.
  bool lowered = false;
};

struct CaseOutcome {
  // By how many steps of the output an element differs from the reference at
  // most, in any run. A step is the scale of a quantized output, and for one of
  // float the 127th part of the largest absolute value of the reference.
  // Rounding makes it 1. Infinite where the output has another shape or
  // is nan.
  double steps = 0;
  // The share of the elements that differ by more than one step, in the worst
  // run.
  double share = 0;
  // How many different outputs the runs gave.
  int64_t outputs = 0;
  // How often memory behind a tensor was written to.
  int64_t overruns = 0;
  // Whether all runs on one thread agree with the reference and each other, but
  // not those on several.
  bool needs_threads = false;
};

// Whether `outcome` shows a fault.
bool IsFaulty(const CaseOutcome& outcome);

// Runs `engine_case` on the engine that is set. The number of threads of ops,
// and the memory allocator, are others afterwards: call it in a process of its
// own, or restore them. Error: the engine does not have the op, or not for this
// call; with CaseRuns::lowered, there is no kernel of ns.
absl::StatusOr<CaseOutcome> RunEngineCase(const EngineCase& engine_case,
                                          const CaseRuns& runs);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_RUN_ENGINE_CASE_H_

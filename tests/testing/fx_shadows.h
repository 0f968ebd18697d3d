// Cases of the FX suite's acceptance list, shadowed and run.
#ifndef TESTS_TESTING_FX_SHADOWS_H_
#define TESTS_TESTING_FX_SHADOWS_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "passes/extraction/results.h"

namespace ns {

// Stage `stage_a` of a case as shadow "a" of its stage `stage_b`, "b", matched
// strictly and run once on the case's inputs (see fx_cases.h).
struct FxShadows {
  // Fails the test when a match gets no shadow, or records are not comparable.
  FxShadows(const std::string& name, const std::string& stage_a,
            const std::string& stage_b, bool should_log_inputs = false);

  // The layers whose output was logged, in order.
  std::vector<std::string> layers() const;

  // The lowest SQNR of all outputs, in dB.
  double sqnr() const;

  // The output of `layer` in B ("b"), or its shadow ("a").
  const at::Tensor& Output(const std::string& layer,
                           const std::string& model) const;

  Results results;
  // Of B with its shadows, and of B alone.
  c10::IValue output;
  c10::IValue plain_output;
  // How many B has.
  size_t loggers = 0;
};

}  // namespace ns

#endif  // TESTS_TESTING_FX_SHADOWS_H_

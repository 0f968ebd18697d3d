// Shadows and runs cases of the FX suite's acceptance list.
#ifndef TESTS_TESTING_FX_SHADOWS_H_
#define TESTS_TESTING_FX_SHADOWS_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "passes/extraction/results.h"

namespace ns {

// The result of a case whose stage `stage_a`, as model "a", shadows its stage
// `stage_b`, "b". Both are matched strictly and run once on the case's inputs
// (see fx_cases.h).
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
  // What B returns with its shadows, and what B returns alone.
  c10::IValue output;
  c10::IValue plain_output;
  // The number of loggers in B.
  size_t loggers = 0;
};

}  // namespace ns

#endif  // TESTS_TESTING_FX_SHADOWS_H_

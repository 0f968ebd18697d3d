// A model with the shadows of another, and the values that its loggers saw, for
// tests.
#ifndef TESTS_PASSES_INSTRUMENT_SHADOWED_H_
#define TESTS_PASSES_INSTRUMENT_SHADOWED_H_

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {

// B with the shadows of A.
class Shadowed {
 public:
  Shadowed(ModelGraph model_a, ModelGraph model_b,
           const LoggerOptions& options = {})
      : a(std::move(model_a)), b(std::move(model_b)) {
    matches = OrThrow(MatchSubgraphs(a, b));
    const auto result =
        AddShadowLoggers("float", a, "int8", b, matches, options);
    status = result.status();
    if (result.ok()) {
      not_shadowed = *result;
    }
  }
  Shadowed(absl::string_view text_a, absl::string_view text_b,
           const LoggerOptions& options = {})
      : Shadowed(ModelOf(text_a), ModelOf(text_b), options) {}

  c10::IValue Run(const std::vector<c10::IValue>& inputs) {
    return OrThrow(b.Run(inputs));
  }
  const std::vector<SingleResult>& Records(const std::string& layer,
                                           const std::string& model,
                                           const char* type) {
    results = OrThrow(ExtractLoggerInfo({b.module()}));
    return results.Find(layer)->at(type).at(model);
  }
  // What one of the two output loggers of a layer saw.
  std::vector<at::Tensor> Values(const std::string& layer,
                                 const std::string& model) {
    return Records(layer, model, kNodeOutputResult).at(0).values;
  }

  ModelGraph a;
  ModelGraph b;
  MatchResult matches;
  absl::Status status;
  std::vector<NotShadowedMatch> not_shadowed;
  Results results;
};

class ShadowedTest : public testing::Test {
 protected:
  const at::Tensor x_ = at::tensor({-2.0f, -0.3f, 0.4f, 1.7f});
  const at::Tensor q_ = at::quantize_per_tensor(x_, 0.1, 40, at::kQUInt8);
};

inline constexpr char kFloatAdd[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%x, %y, %one)
  %r : Tensor = aten::relu(%s)
  return (%r))IR";

inline constexpr char kQuantizedAdd[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %s : Tensor = quantized::add_relu(%x, %y, %scale, %zero_point)
  return (%s))IR";

}  // namespace ns

#endif  // TESTS_PASSES_INSTRUMENT_SHADOWED_H_

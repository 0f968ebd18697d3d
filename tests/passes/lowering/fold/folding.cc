#include "tests/passes/lowering/fold/folding.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

std::string ReasonOf(const std::vector<PassRemark>& remarks,
                     absl::string_view op) {
  for (const PassRemark& remark : remarks) {
    if (remark.op == op) {
      return remark.reason;
    }
  }
  return "no remark";
}

}  // namespace

at::Tensor PerTensor(at::IntArrayRef shape, c10::ScalarType type) {
  return at::quantize_per_tensor(at::ones(shape), 0.5, 0, type);
}

at::Tensor PerChannel(at::IntArrayRef shape, int64_t axis) {
  const int64_t channels = shape[axis];
  return at::quantize_per_channel(at::ones(shape), at::full(channels, 0.5),
                                  at::zeros(channels, at::kLong), axis,
                                  at::kQInt8);
}

at::Tensor Rows(c10::ScalarType type) {
  return at::quantize_per_channel(at::ones({4, 8}), at::full(4, 0.5),
                                  at::zeros(4), 0, type);
}

GraphConstants Constants() {
  return {{"s", 0.25},
          {"z", 7},
          {"so", 0.5},
          {"zo", 3},
          {"t", 13},
          {"signed", 12},
          {"zero", 0},
          {"one", 1},
          {"two", 2},
          {"half", 0.5},
          {"no", false},
          {"yes", true},
          {"none", c10::IValue()},
          {"one1", Ints{1}},
          {"ones", Ints{1, 1}},
          {"zero1", Ints{0}},
          {"zeros", Ints{0, 0}},
          {"twos", Ints{2, 2}},
          {"linear_w", PerChannel({4, 8})},
          {"conv_w", PerChannel({4, 2, 3, 3})},
          {"conv1d_w", PerTensor({4, 2, 3})},
          {"b", at::ones(4)}};
}

GraphConstants With(const std::string& name, const c10::IValue& value) {
  GraphConstants constants = Constants();
  constants[name] = value;
  return constants;
}

std::string GraphText(absl::string_view body) {
  return absl::StrCat(
      "graph(%x : Tensor, %y : Tensor, %p : bool, %s : float, %z : int, "
      "%so : float, %zo : int, %t : int, %signed : int, %zero : int, "
      "%one : int, %two : int, %half : float, %no : bool, %yes : bool, "
      "%none : NoneType, %one1 : int[], %ones : int[], %zero1 : int[], "
      "%zeros : int[], %twos : int[], %linear_w : Tensor, %conv_w : Tensor, "
      "%conv1d_w : Tensor, %b : Tensor):",
      body);
}

std::string OnQuantized(absl::string_view body) {
  return GraphText(absl::StrCat(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %r : Tensor = aten::quantize_per_tensor(%y, %so, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %e : Tensor = aten::dequantize(%r))IR",
                                body));
}

const char kOnQuantizedHead[] = R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::quantize_per_tensor(%1, 0.5, 7, 13)
)";

void ExpectFolded(absl::string_view text, const GraphConstants& constants,
                  absl::string_view folded) {
  const auto graph = GraphWith(text, constants);
  const FoldReferenceQuantization pass;
  EXPECT_TRUE(RunPass(pass, graph).changed);
  ExpectShortIr(*graph, folded);
  EXPECT_FALSE(RunPass(pass, graph).changed);
  ExpectShortIr(*graph, folded);
}

void ExpectKept(absl::string_view text, const GraphConstants& constants,
                absl::string_view op, absl::string_view reason) {
  const auto graph = GraphWith(text, constants);
  const PassRun run = RunPass(FoldReferenceQuantization(), graph);
  EXPECT_FALSE(run.changed);
  EXPECT_EQ(ReasonOf(run.remarks, op), std::string(reason));
}

void ExpectReason(absl::string_view text, const GraphConstants& constants,
                  absl::string_view op, absl::string_view reason) {
  const auto graph = GraphWith(text, constants);
  const PassRun run = RunPass(FoldReferenceQuantization(), graph);
  EXPECT_EQ(ReasonOf(run.remarks, op), std::string(reason));
}

void ExpectFoldedOnQuantized(absl::string_view body, absl::string_view folded,
                             const GraphConstants& constants) {
  ExpectFolded(OnQuantized(body), constants,
               absl::StrCat(kOnQuantizedHead, folded));
}

void ExpectReasonOnQuantized(absl::string_view body, absl::string_view op,
                             absl::string_view reason,
                             const GraphConstants& constants) {
  ExpectReason(OnQuantized(body), constants, op, reason);
}

}  // namespace ns

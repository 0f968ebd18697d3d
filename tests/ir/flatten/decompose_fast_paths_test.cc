#include "ir/flatten/decompose_fast_paths.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using Inputs = std::vector<c10::IValue>;

// Attention of two heads on four features. Weights are returned when needed.
std::string Attention(absl::string_view inputs, bool need_weights, bool average,
                      int mask_type) {
  return absl::StrCat(
      R"IR(
graph(%q : Tensor, %k : Tensor, %v : Tensor, %w : Tensor, %b : Tensor, %ow : Tensor, %ob : Tensor, %mask : Tensor):
  %none : NoneType = prim::Constant()
  %features : int = prim::Constant[value=4]()
  %heads : int = prim::Constant[value=2]()
  %type : int = prim::Constant[value=)IR",
      mask_type, R"IR(]()
  %need : bool = prim::Constant[value=)IR",
      need_weights, R"IR(]()
  %average : bool = prim::Constant[value=)IR",
      average, R"IR(]()
  %y : Tensor, %weights : Tensor = aten::_native_multi_head_attention()IR",
      inputs, R"IR(, %features, %heads, %w, %b, %ow, %ob, )IR",
      mask_type < 0 ? "%none" : "%mask", R"IR(, %need, %average, )IR",
      mask_type < 0 ? "%none" : "%type",
      ")\n  %both : (Tensor, Tensor) = prim::TupleConstruct(%y",
      need_weights ? ", %weights" : ", %y", ")\n  return (%both)");
}

std::string Layer(bool use_gelu, bool norm_first, bool has_mask) {
  return absl::StrCat(
      R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %ow : Tensor, %ob : Tensor, %n1 : Tensor, %m1 : Tensor, %n2 : Tensor, %m2 : Tensor, %f1 : Tensor, %g1 : Tensor, %f2 : Tensor, %g2 : Tensor, %mask : Tensor):
  %none : NoneType = prim::Constant()
  %features : int = prim::Constant[value=4]()
  %heads : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %eps : float = prim::Constant[value=0.001]()
  %gelu : bool = prim::Constant[value=)IR",
      use_gelu, R"IR(]()
  %first : bool = prim::Constant[value=)IR",
      norm_first, R"IR(]()
  %y : Tensor = aten::_transformer_encoder_layer_fwd(%x, %features, %heads, %w, %b, %ow, %ob, %gelu, %first, %eps, %n1, %m1, %n2, %m2, %f1, %g1, %f2, %g2, )IR",
      has_mask ? "%mask, %one" : "%none, %none",
      ")\n  %both : (Tensor, Tensor) = prim::TupleConstruct(%y, %y)\n"
      "  return (%both)");
}

Inputs Run(const std::shared_ptr<torch::jit::Graph>& graph,
           const Inputs& inputs) {
  const c10::InferenceMode no_gradients;
  torch::jit::GraphFunction function("f", graph->copy(), nullptr);
  return function(Inputs(inputs)).toTupleRef().elements();
}

// Expects that the op is taken apart and that the parts give the same.
void ExpectSame(absl::string_view text, const Inputs& inputs) {
  const auto graph = GraphOf(text);
  const Inputs before = Run(graph, inputs);
  ASSERT_TRUE(DecomposeFastPaths(*graph));
  graph->lint();
  EXPECT_TRUE(NodesOf(*graph, "aten::_native_multi_head_attention").empty());
  EXPECT_TRUE(NodesOf(*graph, "aten::_transformer_encoder_layer_fwd").empty());
  const Inputs after = Run(graph, inputs);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(
        at::allclose(before[i].toTensor(), after[i].toTensor(), 1e-5, 1e-6))
        << text;
  }
}

at::Tensor Random(at::IntArrayRef sizes) {
  at::manual_seed(static_cast<uint64_t>(sizes.back() + 10 * sizes.front()));
  return at::randn(sizes);
}

// No row of it masks everything.
at::Tensor Mask(int64_t rows, int64_t columns) {
  at::Tensor mask = at::zeros({rows, columns}, at::kBool);
  mask.select(0, 0).slice(0, 1).fill_(true);
  return mask;
}

TEST(DecomposeFastPathsTest, AttentionsGiveTheSame) {
  const at::Tensor x = Random({2, 3, 4});
  const Inputs same = {
      x,           x,         x, Random({12, 4}), Random({12}), Random({4, 4}),
      Random({4}), Mask(2, 3)};
  for (const bool need_weights : {false, true}) {
    for (const bool average : {false, true}) {
      ExpectSame(Attention("%q, %q, %q", need_weights, average, -1), same);
    }
  }
  // On a CPU, LibTorch's op takes no masks but those of padding.
  ExpectSame(Attention("%q, %q, %q", true, true, 1), same);
  Inputs different = same;
  different[1] = Random({2, 3, 4}) + 1;
  different[2] = Random({2, 3, 4}) - 1;
  ExpectSame(Attention("%q, %k, %v", true, true, -1), different);
}

TEST(DecomposeFastPathsTest, EncoderLayersGiveTheSame) {
  const Inputs inputs = {Random({2, 3, 4}), Random({12, 4}), Random({12}),
                         Random({4, 4}),    Random({4}),     Random({4}),
                         Random({4}),       Random({4}) + 1, Random({4}),
                         Random({6, 4}),    Random({6}),     Random({4, 6}),
                         Random({4}),       Mask(2, 3)};
  for (const bool use_gelu : {false, true}) {
    for (const bool norm_first : {false, true}) {
      ExpectSame(Layer(use_gelu, norm_first, false), inputs);
      ExpectSame(Layer(use_gelu, norm_first, true), inputs);
    }
  }
}

TEST(DecomposeFastPathsTest, PartsOfEncoderLayersHaveModulePaths) {
  const auto graph = GraphOf(Layer(false, false, false));
  ASSERT_TRUE(DecomposeFastPaths(*graph));
  std::vector<std::string> paths;
  for (const torch::jit::Node* node : NodesOf(*graph, "aten::linear")) {
    paths.emplace_back(ModulePathOf(*node).fqn);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"self_attn", "self_attn",
                                             "linear1", "linear2"}));
}

void ExpectUntouched(const std::string& text) {
  const auto graph = GraphOf(text);
  EXPECT_FALSE(DecomposeFastPaths(*graph));
  ExpectIr(graph, text);
}

TEST(DecomposeFastPathsTest, KeepsOpWhenUndefinedWeightsAreRead) {
  ExpectUntouched(absl::StrReplaceAll(Attention("%q, %q, %q", false, true, -1),
                                      {{"(%y, %y)", "(%y, %weights)"}}));
}

TEST(DecomposeFastPathsTest, KeepsOpWhenItsMaskIsOfAnotherKind) {
  ExpectUntouched(Attention("%q, %q, %q", true, true, 2));
}

TEST(DecomposeFastPathsTest, KeepsOpWhenItsFeaturesAreNotConstant) {
  ExpectUntouched(
      absl::StrReplaceAll(Attention("%q, %q, %q", true, true, -1),
                          {{"%features : int = prim::Constant[value=4]()",
                            "%features : int = aten::len(%q)"}}));
}

}  // namespace
}  // namespace ns

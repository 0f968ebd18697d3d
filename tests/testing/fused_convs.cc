#include "tests/testing/fused_convs.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/pair/fuse_float_convs.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kHead[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %mean : Tensor, %var : Tensor, %gamma : Tensor, %beta : Tensor):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %1 : int[] = prim::Constant[value=[1]]()
  %11 : int[] = prim::Constant[value=[1, 1]]()
  %21 : int[] = prim::Constant[value=[2, 1]]()
  %00 : int[] = prim::Constant[value=[0, 0]]()
  %01 : int[] = prim::Constant[value=[0, 1]]()
  %zero : float = prim::Constant[value=0.]()
  %six : float = prim::Constant[value=6.]()
  %eps : float = prim::Constant[value=0.001]()
)IR";

}  // namespace

FuseFloatConvsTest::FuseFloatConvsTest() {
  at::manual_seed(6);
  tensors_ = {{"w", at::randn({4, 3, 3, 3})}, {"b", at::randn({4})},
              {"mean", at::randn({4})},       {"var", at::rand({4}) + 0.1},
              {"gamma", at::randn({4})},      {"beta", at::randn({4})}};
}

ModelGraph FuseFloatConvsTest::Model(absl::string_view body) const {
  const auto graph = GraphOf(absl::StrCat(kHead, body));
  torch::jit::WithInsertPoint at(*graph->nodes().begin());
  for (size_t i = graph->inputs().size(); i-- > 0;) {
    Value* input = graph->inputs()[i];
    const auto tensor = tensors_.find(input->debugName());
    if (tensor != tensors_.end()) {
      input->replaceAllUsesWith(graph->insertConstant(tensor->second));
      graph->eraseInput(i);
    }
  }
  return OrThrow(ModelGraph::FromGraph(graph));
}

absl::Status FuseFloatConvsTest::FuseAll(ModelGraph& model) {
  const std::vector<Node*> nodes = AllNodes(model.graph());
  return FuseFloatConvs(model, {nodes.begin(), nodes.end()});
}

ModelGraph FuseFloatConvsTest::Fused(absl::string_view body) const {
  ModelGraph model = Model(body);
  NS_EXPECT_OK(FuseAll(model));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  return model;
}

void FuseFloatConvsTest::ExpectKept(absl::string_view body) const {
  const ModelGraph before = Model(body);
  EXPECT_EQ(ShortIr(Fused(body).graph()), ShortIr(before.graph()));
}

void FuseFloatConvsTest::ExpectFused(absl::string_view body,
                                     absl::string_view fused,
                                     const at::Tensor& x) const {
  ModelGraph model = Fused(body);
  ExpectShortIr(model.graph(), fused);
  ModelGraph plain = Model(body);
  ExpectNear(model, plain, x);
}

const FloatConvParameters& FuseFloatConvsTest::ParametersOf(
    const ModelGraph& model, int index) {
  return model.module()
      .attr(absl::StrCat("ns_float_conv_", index))
      .toCustomClass<FloatConv>()
      ->parameters();
}

void FuseFloatConvsTest::ExpectNear(ModelGraph& fused, ModelGraph& plain,
                                    const at::Tensor& x) {
  const at::Tensor actual = OrThrow(fused.Run({x})).toTensor();
  const at::Tensor expected = OrThrow(plain.Run({x})).toTensor();
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_EQ(actual.scalar_type(), expected.scalar_type());
  const double norm = expected.norm().item<double>();
  EXPECT_LE((actual - expected).norm().item<double>(), 1e-4 * norm);
}

}  // namespace ns

#include "passes/instrument/variants/rounding.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gtest/gtest.h"
#include "ir/model/attach_attribute.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Value;

ModelGraph Identity(const std::string& type = "Tensor") {
  return ModelOf("graph(%x : " + type + "):\n  return (%x)");
}

// Rounds what `model` returns.
absl::Status RoundOutput(ModelGraph& model, const Rounding& rounding) {
  torch::jit::Graph& graph = model.graph();
  const auto rounded =
      InsertRounding(model, rounding, graph.outputs()[0], graph.return_node());
  if (rounded.ok()) {
    graph.return_node()->replaceInput(0, *rounded);
  }
  return rounded.status();
}

at::Tensor Rounded(const Rounding& rounding, const at::Tensor& x) {
  ModelGraph model = Identity();
  NS_EXPECT_OK(RoundOutput(model, rounding));
  return OrThrow(model.Run({x})).toTensor();
}

TEST(RoundingTest, AGridRoundsAsFakeQuantizationDoes) {
  // Ties go to the even integer, and what is too large to the last one.
  const at::Tensor x = at::tensor({-9.0F, -1.0F, 0.24F, 0.25F, 0.75F, 9.0F});
  const at::Tensor before = x.clone();
  EXPECT_TRUE(
      Rounded(GridRounding{{0.5, 3}, 0, 15}, x)
          .equal(at::fake_quantize_per_tensor_affine(x, 0.5, 3, 0, 15)));
  EXPECT_TRUE(x.equal(before));
}

TEST(RoundingTest, MonostateRoundsNothing) {
  ModelGraph model = Identity();
  NS_EXPECT_OK(RoundOutput(model, std::monostate()));
  ExpectShortIr(model.graph(), "\nreturn (%0)");
}

TEST(RoundingTest, AnObjectRoundsTensorsAndLists) {
  for (const bool is_list : {false, true}) {
    ModelGraph model = Identity(is_list ? "Tensor[]" : "Tensor");
    const std::string name =
        AttachAttribute(model.module(), "quantizer_",
                        OrThrow(MakeActivationQuantizer(ObserverConfig())));
    NS_EXPECT_OK(RoundOutput(model, MethodRounding{name}));
    ExpectShortIr(model.graph(), is_list ? R"IR(
%1 = self.quantizer_0.forward_list(%0)
return (%1))IR"
                                         : R"IR(
%1 = self.quantizer_0.forward(%0)
return (%1))IR");
  }
}

TEST(RoundingTest, WhatCannotBeRoundedLeavesTheGraphUnchanged) {
  ModelGraph model = Identity("int[]");
  const std::string before = model.graph().toString();
  EXPECT_FALSE(RoundOutput(model, GridRounding()).ok());
  EXPECT_FALSE(RoundOutput(model, MethodRounding{"nowhere"}).ok());
  EXPECT_EQ(model.graph().toString(), before);
}

}  // namespace
}  // namespace ns

#include "passes/rewrite/tap_value.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

at::Tensor Doubled(const at::Tensor& x) { return x * 2; }

TEST(TapValueTest, AllThatUsesAValueUsesWhatTheTapReturns) {
  ModelGraph model = FloatModel({"y = x + 1", "return y * y"});
  torch::jit::Value& y = *NodeOf(model.graph(), "aten::add")->output();
  NS_ASSERT_OK(TapValue(model, y, Doubled));
  ExpectShortIr(model.graph(), R"(
%1 = aten::add(%0, 1, 1)
%2 = self.ns_tap_0.forward(%1)
%3 = aten::mul(%2, %2)
return (%3))");
  EXPECT_EQ(OrThrow(model.Run({at::ones({1})})).toTensor().item<float>(), 16);
}

TEST(TapValueTest, OneInputIsTapped) {
  ModelGraph model = FloatModel({"y = x + 1", "return y * y"});
  std::vector<float> seen;
  NS_ASSERT_OK(TapInput(model, *NodeOf(model.graph(), "aten::mul"), 1,
                        [&](const at::Tensor& x) {
                          seen.push_back(x.item<float>());
                          return x * 3;
                        }));
  EXPECT_EQ(OrThrow(model.Run({at::ones({1})})).toTensor().item<float>(), 12);
  EXPECT_EQ(seen, std::vector<float>({2}));
}

TEST(TapValueTest, TapsWorkInControlFlow) {
  ModelGraph model =
      FloatModel({"for i in range(x.size(0)):", "  x = x + 1", "return x"});
  NS_ASSERT_OK(
      TapValue(model, *NodeOf(model.graph(), "aten::add")->output(), Doubled));
  // ((1 + 1) * 2 + 1) * 2 ...
  const at::Tensor y = OrThrow(model.Run({at::ones({3})})).toTensor();
  EXPECT_TRUE(y.equal(at::full({3}, 22.0F))) << y;
}

TEST(TapValueTest, WhatWasSavedHandsValuesOn) {
  ModelGraph model = FloatModel({"return x + 1"});
  NS_ASSERT_OK(
      TapValue(model, *NodeOf(model.graph(), "aten::add")->output(), Doubled));
  std::stringstream file;
  model.module().save(file);
  torch::jit::Module loaded = torch::jit::load(file);
  EXPECT_EQ(loaded.forward({at::ones({1})}).toTensor().item<float>(), 2);
}

TEST(TapValueTest, WhatIsNoTensorIsRefused) {
  ModelGraph model = FloatModel({"return x.size(0)"});
  EXPECT_FALSE(
      TapValue(model, *NodeOf(model.graph(), "aten::size")->output(), Doubled)
          .ok());
}

}  // namespace
}  // namespace ns

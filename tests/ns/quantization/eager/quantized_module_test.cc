#include "ns/quantization/eager/quantized_module.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::torch::jit::Module;

constexpr char kLinear[] = "torch.ao.nn.quantized.modules.linear.Linear";
constexpr char kDynamicLinear[] =
    "torch.ao.nn.quantized.dynamic.modules.linear.Linear";

// The layer `a` of TwoLinears with the observer of its output, which has seen
// `x`; undefined for nothing.
Module Observed(const at::Tensor& x) {
  Module prepared = OrThrow(Prepare(TwoLinears(), {{"", DefaultQConfig()}}));
  if (x.defined()) {
    prepared.forward({x});
  }
  return prepared.attr("a").toModule();
}

TEST(QuantizedModuleTest, QuantizesWithWhatTheObserverFound) {
  std::vector<std::string> warnings;
  const Module quantized = OrThrow(MakeQuantizedModule(
      Observed(at::randn({5, 3})), kLinear, DefaultQConfig(), &warnings));
  EXPECT_EQ(TypeNameOf(quantized), kLinear);
  EXPECT_NE(quantized.attr("scale").toDouble(), 1);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(QuantizedModuleTest, WarnsOfAnObserverThatHasSeenNothing) {
  std::vector<std::string> warnings;
  const Module quantized = OrThrow(
      MakeQuantizedModule(Observed({}), kLinear, DefaultQConfig(), &warnings));
  EXPECT_EQ(quantized.attr("scale").toDouble(), 1);
  EXPECT_EQ(quantized.attr("zero_point").toInt(), 0);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("has seen no value")));
}

TEST(QuantizedModuleTest, HalfPrecisionRoundsTheWeightsOfAFloatModule) {
  const Module linear = Linear(at::full({2, 3}, 1.0F / 3));
  const Module rounded = OrThrow(
      MakeQuantizedModule(linear, kDynamicLinear, Float16DynamicQConfig()));
  const at::Tensor weight = rounded.attr("weight").toTensor();
  EXPECT_FALSE(weight.equal(linear.attr("weight").toTensor()));
  EXPECT_TRUE(weight.equal(weight.to(at::kHalf).to(at::kFloat)));
}

TEST(QuantizedModuleTest, WeightsBeyondHalfPrecisionBecomeItsLargest) {
  const Module rounded = OrThrow(
      MakeQuantizedModule(Linear(at::tensor({7e4F, -1e30F}).view({1, 2})),
                          kDynamicLinear, Float16DynamicQConfig()));
  EXPECT_TRUE(rounded.attr("weight").toTensor().equal(
      at::tensor({65504.0F, -65504.0F}).view({1, 2})));
}

TEST(QuantizedModuleTest, SaysWhyAModuleCannotBeMade) {
  const Module linear = Linear(at::ones({2, 3}));
  const auto message = [](const Module& module, const char* type) {
    return MessageOf(MakeQuantizedModule(module, type, DefaultQConfig()));
  };
  EXPECT_THAT(message(linear, "my.Linear"),
              HasSubstr("no quantized module of type 'my.Linear' can be made"));
  EXPECT_THAT(message(linear, kLinear),
              HasSubstr("it has no observer; call Prepare"));
  EXPECT_THAT(message(Identity(), kDynamicLinear),
              HasSubstr("its code has 0 layers that can be quantized"));
}

}  // namespace
}  // namespace ns

#include "passes/instrument/shadow_inputs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/passes/instrument/shadowed.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ShadowInputsTest = ShadowedTest;

// aten::erfinv stands for an op of the user's: the op table does not know it.
TEST_F(ShadowInputsTest, FeedsShadowsAsOpsOfTheUserGive) {
  constexpr char kQuantized[] = R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %u : Tensor = aten::erfinv(%q)
  %r : Tensor = aten::relu(%u)
  return (%r))IR";
  const auto casts = [&](const LoggerOptions& options) {
    const Shadowed model(kQuantized, kQuantized, options);
    NS_EXPECT_OK(model.status);
    return std::pair(NodesOf(model.b.graph(), "ns::as_float").size(),
                     NodesOf(model.b.graph(), "ns::as_quantized").size());
  };
  LoggerOptions options;
  options.guard_shadows = false;
  // Of what A quantized, for the op that quantizes; of erfinv, which takes a
  // quantized tensor; and of relu.
  EXPECT_EQ(casts(options), std::pair(size_t{2}, size_t{1}));
  NS_ASSERT_OK(options.io_types.Set("aten::erfinv", Numerics::kEither));
  EXPECT_EQ(casts(options), std::pair(size_t{1}, size_t{2}));
}

TEST_F(ShadowInputsTest, ShadowsOpsOfSeveralInputsThatAreGraphInputs) {
  Shadowed model(kFloatAdd, kQuantizedAdd);
  const c10::IValue output = model.Run({q_, q_});
  const at::Tensor sum = (q_.dequantize() * 2).relu();
  EXPECT_TRUE(model.Values("add_relu", "float").at(0).equal(sum));
  EXPECT_TRUE(model.Values("add_relu", "int8").at(0).equal(output.toTensor()));
  EXPECT_TRUE(output.toTensor().equal(
      at::quantize_per_tensor(sum, 0.5, 0, at::kQUInt8)));
}

TEST_F(ShadowInputsTest, ShadowsOneValueUsedTwice) {
  Shadowed model(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::mul(%x, %x)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %y : Tensor = quantized::mul(%x, %x, %scale, %zero_point)
  return (%y))IR");
  model.Run({q_});
  EXPECT_TRUE(model.Values("mul", "float")
                  .at(0)
                  .equal(q_.dequantize() * q_.dequantize()));
}

TEST_F(ShadowInputsTest, ShadowsEveryElementOfAList) {
  Shadowed model(R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR",
                 R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %scale : float = prim::Constant[value=1.]()
  %zero_point : int = prim::Constant[value=9]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %c : Tensor = quantized::cat(%list, %dim, %scale, %zero_point)
  return (%c))IR");
  const at::Tensor other =
      at::quantize_per_tensor(x_ * 3, 0.2, 50, at::kQUInt8);
  model.Run({q_, other});
  EXPECT_TRUE(model.Values("cat", "float")
                  .at(0)
                  .equal(at::cat({q_.dequantize(), other.dequantize()})));
}

TEST_F(ShadowInputsTest, ShadowsListsFilledByALoop) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %n : int):
  %go : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct()
  %k : int = prim::Loop(%n, %go, %zero)
    block0(%i : int, %c : int):
      %same : Tensor[] = aten::append(%list, %x)
      -> (%go, %c)
  %y : Tensor = aten::stack(%list, %zero)
  return (%y))IR";
  Shadowed model(kText, kText);
  model.Run({q_, int64_t{3}});
  EXPECT_TRUE(model.Values("stack", "float")
                  .at(0)
                  .equal(q_.dequantize().repeat({3, 1})));
}

constexpr char kListAsOneValue[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct()
  %one : Tensor[] = aten::append(%list, %x)
  %two : Tensor[] = aten::append(%list, %y)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR";

constexpr char kListBuiltForTheOp[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR";

TEST_F(ShadowInputsTest, BuildsOrTakesApartListsAsTheShadowNeeds) {
  for (const bool built_in_a : {false, true}) {
    Shadowed model(built_in_a ? kListBuiltForTheOp : kListAsOneValue,
                   built_in_a ? kListAsOneValue : kListBuiltForTheOp);
    NS_ASSERT_OK(model.status);
    EXPECT_THAT(model.not_shadowed, IsEmpty());
    const at::Tensor y = x_ * 2;
    model.Run({x_, y});
    EXPECT_TRUE(model.Values("cat", "float").at(0).equal(at::cat({x_, y})));
  }
}

TEST_F(ShadowInputsTest, DoesNotShadowWhatTakesOtherData) {
  Shadowed model(R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%x)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR",
                 kListBuiltForTheOp);
  NS_ASSERT_OK(model.status);
  ASSERT_THAT(model.not_shadowed, SizeIs(1));
  EXPECT_EQ(model.not_shadowed[0].reason,
            "it takes 1 tensors, and its counterpart in the quantized model 2");
}

}  // namespace
}  // namespace ns

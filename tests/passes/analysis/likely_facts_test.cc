// What ValueFacts finds likely, where it is not sure.
#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "gtest/gtest.h"
#include "passes/analysis/value_facts.h"
#include "tests/testing/ir.h"
#include "tests/testing/named_graph.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kMixed[] = R"IR(
graph(%x : Tensor, %p : bool, %n : int, %scale_in : float):
  %scale : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=3]()
  %qint8 : int = prim::Constant[value=12]()
  %half_dtype : int = prim::Constant[value=5]()
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %float : Tensor = aten::relu(%x)
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %qint8)
  %kept : Tensor = aten::relu(%q)
  %sum : Tensor = quantized::add(%q, %kept, %scale, %zero_point)
  %chosen : Tensor = prim::If(%p)
    block0():
      %inner : Tensor = aten::relu(%sum)
      -> (%inner)
    block1():
      -> (%x)
  %looped : Tensor = prim::Loop(%n, %p, %chosen)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::relu(%v)
      -> (%p, %w)
  %back : Tensor = aten::dequantize(%looped)
  %half : Tensor = aten::to(%back, %half_dtype, %no, %no, %none)
  %half_too : Tensor = aten::relu(%half)
  %unknown : Tensor = aten::quantize_per_tensor(%x, %scale_in, %zero_point, %qint8)
  return (%half))IR";

TensorFacts LikelyIn(absl::string_view text, const char* name,
                     const OpIoTypes& io_types = {}) {
  const NamedGraph graph(text);
  return ValueFacts(*graph, io_types).Likely(*graph.Named(name));
}

TEST(LikelyFactsTest, TheOpThatMakesAValueTells) {
  EXPECT_FALSE(LikelyIn(kMixed, "x").is_quantized.Is(true));
  EXPECT_FALSE(LikelyIn(kMixed, "float").is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kMixed, "q").is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kMixed, "kept").is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kMixed, "sum").is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kMixed, "back").dtype.Is(at::kFloat));
  EXPECT_TRUE(LikelyIn(kMixed, "half").dtype.Is(at::kHalf));
  EXPECT_TRUE(LikelyIn(kMixed, "half_too").dtype.Is(at::kHalf));
}

TEST(LikelyFactsTest, TheFirstArmAndTheFirstTripStandForAll) {
  for (const char* name : {"chosen", "looped", "v", "w"}) {
    const auto qparams = LikelyIn(kMixed, name).qparams();
    ASSERT_TRUE(qparams.has_value()) << name;
    EXPECT_EQ(qparams->scale.constant, 0.25);
    EXPECT_EQ(qparams->zero_point.constant, 3);
    EXPECT_EQ(qparams->dtype, at::kQInt8);
  }
  const NamedGraph graph(kMixed);
  EXPECT_FALSE(ValueFacts(*graph).Sure(*graph.Named("chosen")).qparams());
}

TEST(LikelyFactsTest, ScalesMayBeValuesOfTheGraph) {
  const NamedGraph graph(kMixed);
  const auto qparams =
      ValueFacts(*graph).Likely(*graph.Named("unknown")).qparams();
  ASSERT_TRUE(qparams.has_value());
  EXPECT_EQ(qparams->scale.value, graph.Named("scale_in"));
  EXPECT_EQ(qparams->zero_point.constant, 3);
}

// The hidden state of a recurrent layer goes round a loop in a tuple.
TEST(LikelyFactsTest, TheOpThatTakesAValueTells) {
  constexpr char kState[] = R"IR(
graph(%state : (Tensor, Tensor), %s : float, %z : int):
  %h : Tensor, %c : Tensor = prim::TupleUnpack(%state)
  %y : Tensor = quantized::add(%h, %h, %s, %z)
  %w : Tensor = aten::relu(%c)
  return (%y, %w))IR";
  EXPECT_TRUE(LikelyIn(kState, "h").is_quantized.Is(true));
  EXPECT_FALSE(LikelyIn(kState, "c").is_quantized.Is(true));
}

constexpr char kInputs[] = R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor, %float : Tensor):
  %scale : float = prim::Constant[value=0.25]()
  %zero : int = prim::Constant[value=0]()
  %dim : int = prim::Constant[value=1]()
  %qint8 : int = prim::Constant[value=12]()
  %moved : Tensor = aten::transpose(%x, %zero, %dim)
  %list : Tensor[] = prim::ListConstruct(%moved, %y)
  %joined : Tensor = quantized::cat(%list, %dim, %scale, %zero)
  %s : Tensor = aten::quantize_per_tensor(%float, %scale, %zero, %qint8)
  %sum : Tensor = quantized::add(%z, %s, %scale, %zero)
  return (%joined, %sum))IR";

// The dtype of the other operand where the graph tells it, and quint8 where it
// does not. Nothing of it is sure.
TEST(LikelyFactsTest, InputsAreQuantizedWhereOpsTakeNothingElse) {
  for (const char* name : {"moved", "y"}) {
    EXPECT_TRUE(LikelyIn(kInputs, name).is_quantized.Is(true)) << name;
    EXPECT_TRUE(LikelyIn(kInputs, name).dtype.Is(at::kQUInt8)) << name;
  }
  EXPECT_TRUE(LikelyIn(kInputs, "z").is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kInputs, "z").dtype.Is(at::kQInt8));
  EXPECT_FALSE(LikelyIn(kInputs, "z").qparams());
  EXPECT_FALSE(LikelyIn(kInputs, "float").is_quantized.Is(true));
  const NamedGraph graph(kInputs);
  const ValueFacts facts(*graph);
  for (const char* name : {"x", "moved", "y", "z", "float"}) {
    EXPECT_TRUE(facts.Sure(*graph.Named(name)).is_quantized.IsUnknown())
        << name;
  }
  EXPECT_NE(facts.TakerOfQuantized(*graph.Named("z")), nullptr);
  EXPECT_EQ(facts.TakerOfQuantized(*graph.Named("x")), nullptr);
}

// aten::erfinv stands for an op of the user's: the op table does not know it.
constexpr char kUserOps[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=3]()
  %qint8 : int = prim::Constant[value=12]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %qint8)
  %user : Tensor = aten::erfinv(%q)
  %kept : Tensor = aten::relu(%user)
  %other : Tensor = aten::erfc(%y)
  return (%kept))IR";

TEST(LikelyFactsTest, UnknownOpsHoldFloatsUnlessTheUserSaysOtherwise) {
  EXPECT_FALSE(LikelyIn(kUserOps, "kept").is_quantized.Is(true));
  EXPECT_FALSE(LikelyIn(kUserOps, "kept").qparams());
  OpIoTypes either;
  NS_ASSERT_OK(either.Set("aten::erfinv", Numerics::kEither));
  const auto qparams = LikelyIn(kUserOps, "kept", either).qparams();
  ASSERT_TRUE(qparams.has_value());
  EXPECT_EQ(qparams->scale.constant, 0.25);
  OpIoTypes on_floats;
  NS_ASSERT_OK(on_floats.Set("aten::erfinv", Numerics::kFloat));
  EXPECT_TRUE(LikelyIn(kUserOps, "kept", on_floats).is_quantized.Is(false));
}

TEST(LikelyFactsTest, OpsOfTheUserTellWhatInputsHold) {
  EXPECT_FALSE(LikelyIn(kUserOps, "y").is_quantized.Is(true));
  OpIoTypes types;
  NS_ASSERT_OK(types.Set("aten::erfc", Numerics::kInt8));
  EXPECT_TRUE(LikelyIn(kUserOps, "y", types).is_quantized.Is(true));
  EXPECT_TRUE(LikelyIn(kUserOps, "other", types).is_quantized.Is(true));
}

}  // namespace
}  // namespace ns

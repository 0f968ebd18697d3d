#include "passes/rewrite/shadow_casts.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Value;

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
      -> (%sum)
  %looped : Tensor = prim::Loop(%n, %p, %chosen)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::relu(%v)
      -> (%p, %w)
  %sigmoid : Tensor = aten::sigmoid(%looped)
  %back : Tensor = aten::dequantize(%sigmoid)
  %half : Tensor = aten::to(%back, %half_dtype, %no, %no, %none)
  %unknown : Tensor = aten::quantize_per_tensor(%x, %scale_in, %zero_point, %qint8)
  return (%half))IR";

class ShadowCastsTest : public testing::Test {
 protected:
  const Value& Named(const char* op, size_t index = 0) {
    return *NodeOf(*graph_, op, index)->output();
  }

  std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(kMixed);
};

TEST_F(ShadowCastsTest, TellsNumericsFromTheOpThatMakesAValue) {
  EXPECT_EQ(NumericsOf(*graph_->inputs()[0]), TensorNumerics::kFloat);
  EXPECT_EQ(NumericsOf(Named("aten::quantize_per_tensor")),
            TensorNumerics::kInt8);
  EXPECT_EQ(NumericsOf(Named("quantized::add")), TensorNumerics::kInt8);
  EXPECT_EQ(NumericsOf(Named("aten::dequantize")), TensorNumerics::kFloat);
  EXPECT_EQ(NumericsOf(Named("aten::to")), TensorNumerics::kHalf);
}

// The hidden state of a recurrent layer goes round a loop in a tuple.
TEST_F(ShadowCastsTest, TellsNumericsFromTheOpThatTakesAValue) {
  const auto graph = GraphOf(R"IR(
graph(%state : (Tensor, Tensor), %s : float, %z : int):
  %h : Tensor, %c : Tensor = prim::TupleUnpack(%state)
  %y : Tensor = quantized::add(%h, %h, %s, %z)
  %w : Tensor = aten::relu(%c)
  return (%y, %w))IR");
  const torch::jit::Node& unpack = *NodeOf(*graph, "prim::TupleUnpack");
  EXPECT_EQ(NumericsOf(*unpack.outputs()[0]), TensorNumerics::kInt8);
  EXPECT_EQ(NumericsOf(*unpack.outputs()[1]), TensorNumerics::kFloat);
}

TEST_F(ShadowCastsTest, OpsOfEitherDtypeHoldWhatTheirInputHolds) {
  EXPECT_EQ(NumericsOf(Named("aten::relu", 0)), TensorNumerics::kFloat);
  EXPECT_EQ(NumericsOf(Named("aten::relu", 1)), TensorNumerics::kInt8);
}

TEST_F(ShadowCastsTest, LooksThroughControlFlow) {
  EXPECT_EQ(NumericsOf(Named("prim::If")), TensorNumerics::kInt8);
  EXPECT_EQ(NumericsOf(Named("prim::Loop")), TensorNumerics::kInt8);
  const Value* carried = NodeOf(*graph_, "aten::relu", 3)->input(0);
  EXPECT_EQ(NumericsOf(*carried), TensorNumerics::kInt8);
}

TEST_F(ShadowCastsTest, FindsParametersBehindOpsThatKeepThem) {
  const auto parameters = QuantizationParametersOf(Named("aten::relu", 1));
  ASSERT_TRUE(parameters.has_value());
  EXPECT_EQ(parameters->scale, 0.25);
  EXPECT_EQ(parameters->zero_point, 3);
  EXPECT_EQ(parameters->dtype, at::kQInt8);
}

TEST_F(ShadowCastsTest, OutputsOfQuantizedOpsAreUnsigned) {
  const auto parameters = QuantizationParametersOf(Named("quantized::add"));
  ASSERT_TRUE(parameters.has_value());
  EXPECT_EQ(parameters->scale, 0.25);
  EXPECT_EQ(parameters->dtype, at::kQUInt8);
}

TEST_F(ShadowCastsTest, SigmoidHasParametersOfItsOwn) {
  const auto parameters = QuantizationParametersOf(Named("aten::sigmoid"));
  ASSERT_TRUE(parameters.has_value());
  EXPECT_EQ(parameters->scale, 1.0 / 256);
  EXPECT_EQ(parameters->zero_point, 0);
}

TEST_F(ShadowCastsTest, ParametersThatAreNotConstantAreUnknown) {
  EXPECT_FALSE(QuantizationParametersOf(Named("aten::quantize_per_tensor", 1)));
  EXPECT_FALSE(QuantizationParametersOf(*graph_->inputs()[0]));
}

TEST_F(ShadowCastsTest, CastsToWhatTheOriginalHolds) {
  torch::jit::Node* place = graph_->return_node();
  Value* x = graph_->inputs()[0];
  const Value* cast = OrThrow(CastLike(Named("aten::relu"), x, place));
  EXPECT_EQ(cast->node()->kind().toQualString(), std::string("ns::as_float"));
  cast = OrThrow(CastLike(Named("aten::to"), x, place));
  EXPECT_EQ(cast->node()->kind().toQualString(), std::string("ns::as_half"));
  cast = OrThrow(CastLike(Named("quantized::add"), x, place));
  EXPECT_EQ(cast->node()->kind().toQualString(),
            std::string("ns::as_quantized"));
  EXPECT_EQ(cast->node()->prev()->kind(), c10::prim::Constant);
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

TEST_F(ShadowCastsTest, UnknownOpsHoldFloatsUnlessTheUserSaysOtherwise) {
  const auto graph = GraphOf(kUserOps);
  const Value& kept = *NodeOf(*graph, "aten::relu")->output();
  EXPECT_EQ(NumericsOf(kept), TensorNumerics::kFloat);
  EXPECT_FALSE(QuantizationParametersOf(kept));
  OpIoTypes either;
  NS_ASSERT_OK(either.Set("aten::erfinv", Numerics::kEither));
  EXPECT_EQ(NumericsOf(kept, either), TensorNumerics::kInt8);
  const auto parameters = QuantizationParametersOf(kept, either);
  ASSERT_TRUE(parameters.has_value());
  EXPECT_EQ(parameters->scale, 0.25);
  OpIoTypes on_floats;
  NS_ASSERT_OK(on_floats.Set("aten::erfinv", Numerics::kFloat));
  EXPECT_EQ(NumericsOf(kept, on_floats), TensorNumerics::kFloat);
}

TEST_F(ShadowCastsTest, OpsOfTheUserTellWhatInputsHold) {
  const auto graph = GraphOf(kUserOps);
  const Value& y = *graph->inputs()[1];
  EXPECT_EQ(NumericsOf(y), TensorNumerics::kFloat);
  OpIoTypes types;
  NS_ASSERT_OK(types.Set("aten::erfc", Numerics::kInt8));
  EXPECT_TRUE(IsTakenAsInt8(y, types));
  EXPECT_EQ(NumericsOf(y, types), TensorNumerics::kInt8);
  EXPECT_EQ(NumericsOf(*NodeOf(*graph, "aten::erfc")->output(), types),
            TensorNumerics::kInt8);
}

TEST_F(ShadowCastsTest, CastsToWhatTheUserSays) {
  const auto graph = GraphOf(kUserOps);
  OpIoTypes types;
  NS_ASSERT_OK(types.Set("aten::erfinv", Numerics::kEither));
  const Value* cast =
      OrThrow(CastLike(*NodeOf(*graph, "aten::relu")->output(),
                       graph->inputs()[0], graph->return_node(), types));
  EXPECT_EQ(cast->node()->kind().toQualString(),
            std::string("ns::as_quantized"));
}

TEST_F(ShadowCastsTest, RefusesUnknownParameters) {
  const auto cast = CastLike(Named("aten::quantize_per_tensor", 1),
                             graph_->inputs()[0], graph_->return_node());
  EXPECT_EQ(cast.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(cast), HasSubstr("scale and zero point of its input"));
}

}  // namespace
}  // namespace ns

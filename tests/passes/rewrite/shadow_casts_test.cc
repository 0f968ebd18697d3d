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
  const ValueFacts facts_{*graph_};
};

TEST_F(ShadowCastsTest, CastsToWhatTheOriginalHolds) {
  torch::jit::Node* place = graph_->return_node();
  Value* x = graph_->inputs()[0];
  const Value* cast = OrThrow(CastLike(Named("aten::relu"), facts_, x, place));
  EXPECT_EQ(cast->node()->kind().toQualString(), std::string("ns::as_float"));
  cast = OrThrow(CastLike(Named("aten::to"), facts_, x, place));
  EXPECT_EQ(cast->node()->kind().toQualString(), std::string("ns::as_half"));
  cast = OrThrow(CastLike(Named("quantized::add"), facts_, x, place));
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

TEST_F(ShadowCastsTest, CastsToWhatTheUserSays) {
  const auto graph = GraphOf(kUserOps);
  OpIoTypes types;
  NS_ASSERT_OK(types.Set("aten::erfinv", Numerics::kEither));
  const Value* cast = OrThrow(CastLike(
      *NodeOf(*graph, "aten::relu")->output(), ValueFacts(*graph, types),
      graph->inputs()[0], graph->return_node()));
  EXPECT_EQ(cast->node()->kind().toQualString(),
            std::string("ns::as_quantized"));
}

TEST_F(ShadowCastsTest, RefusesUnknownParameters) {
  const auto cast = CastLike(Named("aten::quantize_per_tensor", 1), facts_,
                             graph_->inputs()[0], graph_->return_node());
  EXPECT_EQ(cast.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(cast), HasSubstr("scale and zero point of its input"));
}

}  // namespace
}  // namespace ns

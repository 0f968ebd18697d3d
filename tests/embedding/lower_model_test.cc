// Graph-level tests of a host: IR in, IR out.
#include "lower_model.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nspasses/ir/graph/pass_context.h"
#include "nspasses/ir/graph/verifier.h"
#include "nspasses/ir/model/model_graph.h"
#include "nspasses/ir/text/text.h"

namespace compiler {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

ns::ModelGraph ModelOf(const char* text) {
  return ns::ModelGraph::FromGraph(ns::ParseGraph(text).value()).value();
}

// relu(dropout(x)) on codes, as convert_to_reference_fx writes it.
constexpr char kReference[] = R"IR(
graph(%x : Tensor):
  %p : float = prim::Constant[value=0.5]()
  %train : bool = prim::Constant[value=0]()
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %quint8 : int = prim::Constant[value=13]()
  %one : int = prim::Constant[value=1]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %quint8)
  %f : Tensor = aten::dequantize(%q)
  %d : Tensor = aten::dropout(%f, %p, %train)
  %s : Tensor = aten::add(%d, %d, %one)
  %r : Tensor = aten::quantize_per_tensor(%s, %scale, %zero_point, %quint8)
  %y : Tensor = aten::dequantize(%r)
  return (%y))IR";

TEST(LowerModelTest, LowersWhatDropoutStoodBetween) {
  ns::ModelGraph model = ModelOf(kReference);
  ns::PassContext context;
  EXPECT_TRUE(LowerModel(model, context).value());
  const std::string text = ns::CanonicalText(model.shared_graph());
  EXPECT_THAT(text, HasSubstr("ns::fbgemm_add("));
  EXPECT_THAT(text, Not(HasSubstr("aten::dropout")));
  EXPECT_TRUE(ns::VerifyGraph(model.graph()).ok());
}

TEST(LowerModelTest, KeepsDropoutThatTrains) {
  ns::ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %train : bool):
  %p : float = prim::Constant[value=0.5]()
  %y : Tensor = aten::dropout(%x, %p, %train)
  return (%y))IR");
  ns::PassContext context;
  EXPECT_FALSE(LowerModel(model, context).value());
  EXPECT_THAT(context.remarks(),
              Contains(Field(&ns::PassRemark::pass, "drop-dropout")));
}

}  // namespace
}  // namespace compiler

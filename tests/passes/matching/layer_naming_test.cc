// Whose names matches get.
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

ModelGraph Model(const Submodules& submodules,
                 const std::vector<std::string>& body) {
  return OrThrow(ModelGraph::FromModule(MakeModel(submodules, body)));
}

std::vector<std::string> Names(const ModelGraph& a, const ModelGraph& b,
                               LayerNaming naming) {
  MatchOptions options;
  options.naming = naming;
  return MatchNames(OrThrow(MatchSubgraphs(a, b, options)));
}

class LayerNamingTest : public testing::Test {
 protected:
  const at::Tensor w1_ = at::randn({4, 4, 3, 3});
  const at::Tensor w2_ = at::randn({4, 4, 3, 3});
  // Eager quantization may wrap a model; weights tell what corresponds.
  const ModelGraph a_ = Model({{"one", Conv2d(w1_)}, {"two", Conv2d(w2_)}},
                              {"y = torch.relu(self.one.forward(x))",
                               "return self.two.forward(y) + y"});
  const ModelGraph b_ = Model(
      {{"quant", Quantize()},
       {"m_one", QuantizedConv2d(w1_, true)},
       {"m_two", QuantizedConv2d(w2_, false)}},
      {"y = self.m_one.forward(self.quant.forward(x))",
       "z = self.m_two.forward(torch.quantize_per_tensor(torch.dequantize(y), "
       "0.1, 0, 13))",
       "return ops.quantized.add(z, y, 0.1, 3)"});
};

TEST_F(LayerNamingTest, EachSideHasTheNameOfItsModel) {
  const MatchResult result = OrThrow(MatchSubgraphs(a_, b_));
  std::vector<std::string> sides;
  for (const SubgraphMatch& match : result.matches) {
    sides.push_back(match.a.name + " = " + match.b.name);
    EXPECT_EQ(match.name, match.b.name);
  }
  EXPECT_THAT(sides, ElementsAre("x.quantize = quant", "one = m_one",
                                 "one.quantize = m_one.quantize", "two = m_two",
                                 "add = add"));
}

TEST_F(LayerNamingTest, LayersGetTheNamesOfTheChosenModel) {
  EXPECT_THAT(Names(a_, b_, LayerNaming::kByB),
              ElementsAre("quant", "m_one", "m_one.quantize", "m_two", "add"));
  EXPECT_THAT(Names(a_, b_, LayerNaming::kByA),
              ElementsAre("x.quantize", "one", "one.quantize", "two", "add"));
}

// The float model calls one module where the quantized one has two.
TEST_F(LayerNamingTest, NamesOfOneModelAreUnique) {
  const ModelGraph a =
      Model({{"act", Relu()}, {"one", Conv2d(w1_)}},
            {"return self.act.forward(self.one.forward(self.act.forward(x)))"});
  const ModelGraph b = Model(
      {{"act1", Relu()},
       {"one", QuantizedConv2d(w1_, false)},
       {"act2", Relu()}},
      {"return self.act2.forward(self.one.forward(self.act1.forward(x)))"});
  EXPECT_THAT(Names(a, b, LayerNaming::kByB),
              ElementsAre("act1", "one", "act2"));
  EXPECT_THAT(Names(a, b, LayerNaming::kByA),
              ElementsAre("act", "one", "act@1"));
}

TEST_F(LayerNamingTest, ModelWithoutNamesHasThoseOfTheOther) {
  const auto frozen = [](const char* op) {
    return ModelOf(std::string("graph(%x : Tensor):\n"
                               "  %y : Tensor = aten::") +
                   op +
                   "(%x)\n"
                   "  return (%y)");
  };
  const ModelGraph named =
      Model({{"act", Relu()}}, {"return self.act.forward(x)"});
  EXPECT_THAT(Names(frozen("relu"), named, LayerNaming::kByA),
              ElementsAre("act"));
  EXPECT_THAT(Names(named, frozen("relu"), LayerNaming::kByB),
              ElementsAre("act"));
  EXPECT_THAT(Names(frozen("relu"), frozen("relu"), LayerNaming::kByA),
              ElementsAre("relu"));
}

}  // namespace
}  // namespace ns

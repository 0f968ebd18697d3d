#include "passes/instrument/pair/pair_host.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// A model of two tensors and a number.
ModelGraph Model() {
  return OrThrow(ModelGraph::FromModule(
      MakeModule("Model",
                 "def forward(self, x: Tensor, y: Tensor, n: int):\n"
                 "    return x + y * n\n")));
}

TEST(PairHostTest, HasTheInputsOfBothThatAreNotShared) {
  const ModelGraph a = Model();
  const ModelGraph b = Model();
  // self, x, y, n.
  EXPECT_EQ(OrThrow(MakePairHost(a, b, {})).graph().inputs().size(), 4);
  const ModelGraph host = OrThrow(MakePairHost(a, b, {1}));
  ASSERT_EQ(host.graph().inputs().size(), 5);
  EXPECT_EQ(*host.graph().inputs()[4]->type(), *c10::TensorType::get());
  EXPECT_TRUE(host.module().hasattr("ns_a"));
  EXPECT_TRUE(host.module().hasattr("ns_b"));
}

TEST(PairHostTest, InputsOfBAreThoseOfAButForItsOwn) {
  const ModelGraph a = Model();
  const ModelGraph b = Model();
  ModelGraph host = OrThrow(MakePairHost(a, b, {1}));
  GraphCopies of_a, of_b;
  ValueCounterparts counterparts;
  ConnectInputs(a, b, {1}, host, of_a, of_b, counterparts);
  const auto inputs = host.graph().inputs();
  for (size_t i = 1; i < 4; ++i) {
    const auto* input_a = a.graph().inputs()[i];
    const auto* input_b = b.graph().inputs()[i];
    EXPECT_EQ(of_a.values.lookup(input_a), inputs[i]);
    EXPECT_EQ(of_b.values.lookup(input_b), inputs[i == 2 ? 4 : i]);
    EXPECT_EQ(counterparts.lookup(input_a), of_b.values.lookup(input_b));
  }
}

TEST(PairHostTest, ReturnsATupleOfBothOrNoneForTheFirst) {
  const ModelGraph a = Model();
  const ModelGraph b = Model();
  for (const bool has_a : {false, true}) {
    ModelGraph host = OrThrow(MakePairHost(a, b, {}));
    auto* const x = host.graph().inputs()[1];
    auto* const y = host.graph().inputs()[2];
    ReturnBoth(has_a ? x : nullptr, y, host);
    NS_EXPECT_OK(VerifyGraph(host.graph()));
    ASSERT_EQ(host.graph().outputs().size(), 1);
    const auto* tuple = host.graph().outputs()[0]->node();
    EXPECT_EQ(tuple->kind(), c10::prim::TupleConstruct);
    EXPECT_EQ(tuple->input(0) == x, has_a);
    EXPECT_EQ(tuple->input(0)->type()->kind() == c10::TypeKind::NoneType,
              !has_a);
    EXPECT_EQ(tuple->input(1), y);
  }
}

}  // namespace
}  // namespace ns

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_models.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kTakesOne[] = R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%s)
  return (%t))IR";

constexpr char kReads[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%y)
  %r : Tensor = aten::add(%s, %t, %one)
  return (%r))IR";

constexpr char kWritesSecond[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %size : int[] = prim::Constant[value=[-1]]()
  %view : Tensor = aten::view(%y, %size)
  %w : Tensor = aten::neg_(%view)
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%y)
  %r : Tensor = aten::add(%s, %t, %one)
  return (%r))IR";

TEST_F(PairModelsTest, ModelsShareWhatBothOnlyRead) {
  Paired models(kReads, kReads);
  EXPECT_THAT(models.pair.own_inputs_of_b, IsEmpty());
  EXPECT_THAT(models.pair.model.graph().inputs(), SizeIs(3));
}

TEST_F(PairModelsTest, InputsThatOneModelOverwritesAreNotShared) {
  for (const auto& [a, b] :
       {std::pair(kReads, kWritesSecond), std::pair(kWritesSecond, kReads),
        std::pair(kWritesSecond, kWritesSecond)}) {
    Paired models(a, b, All());
    EXPECT_THAT(models.pair.own_inputs_of_b, Contains(1));
    models.ExpectSameAsAlone({x_, x_ * 2});
    models.ExpectSameAsAlone({x_, x_ * 2}, {x_, x_ + 3});
  }
}

TEST_F(PairModelsTest, InputsOfOtherTypesAreNotShared) {
  constexpr char kTakesNumber[] = R"IR(
graph(%x : Tensor, %y : float):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %r : Tensor = aten::add(%s, %y, %one)
  return (%r))IR";
  Paired models(kReads, kTakesNumber);
  EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(1));
  models.ExpectSameAsAlone({x_, x_ * 2}, {x_, 2.5});
}

TEST_F(PairModelsTest, ModelsMayTakeDifferentNumbersOfInputs) {
  Paired fewer_in_a(kTakesOne, kReads, All());
  EXPECT_THAT(fewer_in_a.pair.own_inputs_of_b, ElementsAre(1));
  fewer_in_a.ExpectSameAsAlone({x_}, {x_, x_ * 2});
  Paired fewer_in_b(kReads, kTakesOne, All());
  EXPECT_THAT(fewer_in_b.pair.own_inputs_of_b, IsEmpty());
  fewer_in_b.ExpectSameAsAlone({x_, x_ * 2}, {x_});
}

TEST_F(PairModelsTest, ModelsMayTakeNothing) {
  constexpr char kNothing[] = R"IR(
graph():
  %one : int = prim::Constant[value=1]()
  %x : Tensor = prim::NumToTensor(%one)
  %s : Tensor = aten::sigmoid(%x)
  return (%s))IR";
  Paired models(kNothing, kNothing);
  models.ExpectSameAsAlone({});
  Paired with_other(kNothing, kTakesOne);
  EXPECT_THAT(with_other.pair.own_inputs_of_b, ElementsAre(0));
  with_other.ExpectSameAsAlone({}, {x_});
}

constexpr char kReadsList[] =
    "def forward(self, x: List[Tensor]) -> Tensor:\n"
    "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n";

TEST_F(PairModelsTest, ListsThatOneModelFillsAreNotShared) {
  Paired models(ModelOfSource("def forward(self, x: List[Tensor]) -> Tensor:\n"
                              "    x.append(x[0])\n"
                              "    return torch.sigmoid(x[0]) + "
                              "torch.tanh(x[len(x) - 1])\n"),
                ModelOfSource(kReadsList), All());
  EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
  const c10::IValue list(std::vector<at::Tensor>{x_, x_ * 2});
  models.ExpectSameAsAlone({list});
}

// The list stays as it is, and a tensor in it changes.
TEST_F(PairModelsTest, ListsWhoseElementsOneModelOverwritesAreNotShared) {
  const ModelGraph writes = ModelOfSource(
      "def forward(self, x: List[Tensor]) -> Tensor:\n"
      "    torch.neg_(x[0])\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const ModelGraph reads = ModelOfSource(kReadsList);
  const c10::IValue list(std::vector<at::Tensor>{x_, x_ * 2});
  for (const bool a_writes : {false, true}) {
    Paired models(OrThrow(a_writes ? writes.Clone() : reads.Clone()),
                  OrThrow(a_writes ? reads.Clone() : writes.Clone()));
    EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
    models.ExpectSameAsAlone({list});
  }
}

TEST_F(PairModelsTest, TuplesWhoseElementsOneModelOverwritesAreNotShared) {
  const ModelGraph writes = ModelOfSource(
      "def forward(self, x: Tuple[Tensor, Tensor]) -> Tensor:\n"
      "    torch.neg_(x[0])\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const ModelGraph reads = ModelOfSource(
      "def forward(self, x: Tuple[Tensor, Tensor]) -> Tensor:\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const c10::IValue tuple(std::make_tuple(x_, x_ * 2));
  for (const bool a_writes : {false, true}) {
    Paired models(OrThrow(a_writes ? writes.Clone() : reads.Clone()),
                  OrThrow(a_writes ? reads.Clone() : writes.Clone()));
    EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
    models.ExpectSameAsAlone({tuple});
  }
}

}  // namespace
}  // namespace ns

#include "passes/rewrite/tensor_in.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analysis/op_outputs.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// What tensor `place` of `value` is, taken out as from a graph input of `type`.
at::Tensor TakenOut(const std::string& type, size_t place,
                    const c10::IValue& value) {
  ModelGraph model = ModelOf("graph(%x : " + type + "):\n  return (%x)\n");
  torch::jit::Graph& graph = model.graph();
  torch::jit::Value* tensor =
      OrThrow(TensorIn(graph.inputs()[1], place, graph.return_node()));
  graph.return_node()->replaceInput(0, tensor);
  return OrThrow(model.Run({value})).toTensor();
}

TEST(TensorInTest, CountsThroughNestedTuplesAndOverWhatIsNoTensor) {
  const std::vector<at::Tensor> x = {at::rand({2}), at::rand({2}),
                                     at::rand({2}), at::rand({2})};
  const auto value = std::make_tuple(
      int64_t{7}, x[0], std::make_tuple(x[1], std::make_tuple(x[2])), x[3]);
  for (size_t place = 0; place < x.size(); ++place) {
    EXPECT_TRUE(
        TakenOut("(int, Tensor, (Tensor, (Tensor)), Tensor)", place, value)
            .equal(x[place]))
        << place;
  }
}

TEST(TensorInTest, TakesFromTheFirstElementOfAList) {
  const at::Tensor first = at::rand({2});
  const at::Tensor second = at::rand({2});
  const std::vector<at::Tensor> list = {first, at::rand({2})};
  EXPECT_TRUE(TakenOut("(Tensor[], Tensor)", 0, std::make_tuple(list, second))
                  .equal(first));
  EXPECT_TRUE(TakenOut("(Tensor[], Tensor)", 1, std::make_tuple(list, second))
                  .equal(second));
}

TEST(TensorInTest, AnEmptyListGivesATensorWithoutElements) {
  const at::Tensor second = at::rand({2});
  const std::vector<at::Tensor> empty;
  EXPECT_EQ(
      TakenOut("(Tensor[], Tensor)", 0, std::make_tuple(empty, second)).sizes(),
      std::vector<int64_t>{0});
  EXPECT_TRUE(TakenOut("(Tensor[], Tensor)", 1, std::make_tuple(empty, second))
                  .equal(second));
  const std::vector<std::tuple<at::Tensor, at::Tensor>> tuples;
  EXPECT_EQ(TakenOut("(Tensor, Tensor)[]", 1, tuples).numel(), 0);
  EXPECT_TRUE(TakenOut("(Tensor, Tensor)[]", 1,
                       std::vector{std::make_tuple(at::rand({1}), second)})
                  .equal(second));
}

TEST(TensorInTest, AllElementsOfAListAreOneTensor) {
  const std::vector<at::Tensor> list = {at::rand({2, 3}), at::rand({4})};
  EXPECT_TRUE(TakenOut("Tensor[]", kAllElements, list)
                  .equal(at::cat({list[0].flatten(), list[1]})));
}

TEST(TensorInTest, RefusesMoreThanThereAre) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : (Tensor, Tensor)):
  return (%x))IR");
  EXPECT_THAT(MessageOf(TensorIn(model.graph().inputs()[1], 2,
                                 model.graph().return_node())),
              HasSubstr("has 2 tensors, and number 3 is asked for"));
}

}  // namespace
}  // namespace ns

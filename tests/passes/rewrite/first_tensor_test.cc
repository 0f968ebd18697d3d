#include "passes/rewrite/first_tensor.h"

#include <ATen/Functions.h>

#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// A model that returns the first tensor of its input, which is of `type`.
ModelGraph FirstOf(const std::string& type) {
  ModelGraph model = ModelOf("graph(%x : " + type + "):\n  return (%x)\n");
  torch::jit::Graph& graph = model.graph();
  torch::jit::Value* first =
      OrThrow(FirstTensor(graph.inputs()[1], graph.return_node()));
  graph.return_node()->replaceInput(0, first);
  return model;
}

TEST(FirstTensorTest, TensorIsItsOwnFirst) {
  const at::Tensor x = at::rand({2});
  ModelGraph model = FirstOf("Tensor");
  EXPECT_TRUE(OrThrow(model.Run({x})).toTensor().equal(x));
}

TEST(FirstTensorTest, EntersTupleInTuple) {
  const at::Tensor x = at::rand({2});
  ModelGraph model = FirstOf("((Tensor, Tensor), Tensor)");
  const auto inner = std::make_tuple(x, at::rand({2}));
  EXPECT_TRUE(OrThrow(model.Run({std::make_tuple(inner, at::rand({2}))}))
                  .toTensor()
                  .equal(x));
}

TEST(FirstTensorTest, StepsOverWhatHasNoTensor) {
  const at::Tensor x = at::rand({2});
  ModelGraph model = FirstOf("(int, Tensor)");
  EXPECT_TRUE(
      OrThrow(model.Run({std::make_tuple(int64_t{3}, x)})).toTensor().equal(x));
}

TEST(FirstTensorTest, TakesFirstOfList) {
  const at::Tensor x = at::rand({2});
  ModelGraph model = FirstOf("Tensor[]");
  EXPECT_TRUE(OrThrow(model.Run({std::vector<at::Tensor>{x, at::rand({2})}}))
                  .toTensor()
                  .equal(x));
}

TEST(FirstTensorTest, RefusesWhatHasNoTensorAtAKnownPlace) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : (int, str)):
  return (%x))IR");
  EXPECT_THAT(MessageOf(FirstTensor(model.graph().inputs()[1],
                                    model.graph().return_node())),
              HasSubstr("has no first tensor"));
}

}  // namespace
}  // namespace ns

#include "passes/matching/places_by_name.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/ops/op_relations.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A chain of ops, each with the path of the module that calls it.
std::shared_ptr<torch::jit::Graph> Chain(
    const std::vector<std::pair<std::string, ModulePath>>& ops) {
  auto graph = std::make_shared<torch::jit::Graph>();
  torch::jit::Value* value = graph->addInput();
  for (const auto& [op, path] : ops) {
    torch::jit::Node* node = graph->insertNode(
        graph->create(c10::Symbol::fromQualString(op), {value}));
    if (!path.fqn.empty()) {
      node->setScope(ScopeFor(path, graph->current_scope()));
    }
    value = node->output();
  }
  graph->registerOutput(value);
  return graph;
}

class PlacesByNameTest : public testing::Test {
 protected:
  // "family: nodes of A / nodes of B", in order.
  std::vector<std::string> Places(
      const std::vector<std::pair<std::string, ModulePath>>& a,
      const std::vector<std::pair<std::string, ModulePath>>& b) {
    const auto graph_a = Chain(a);
    const auto graph_b = Chain(b);
    const OpRelations relations;
    const PlacesByName places(MatchableNodes(*graph_a, relations),
                              MatchableNodes(*graph_b, relations));
    std::vector<std::string> text;
    for (const PlacesByName::Place& place : places.in_order()) {
      text.push_back(absl::StrCat(place.family, ":"));
      for (int i : place.of_a) {
        absl::StrAppend(&text.back(), " ", i);
      }
      absl::StrAppend(&text.back(), " /");
      for (int i : place.of_b) {
        absl::StrAppend(&text.back(), " ", i);
      }
    }
    return text;
  }

  const ModulePath first_ = {"first", 0, "M"};
  const ModulePath first_again_ = {"first", 1, "M"};
  // Quantized twins have another type.
  const ModulePath first_int8_ = {"first", 0, "Q"};
  const ModulePath second_ = {"second", 0, "M"};
};

TEST_F(PlacesByNameTest, AreByCallAndFamilyInOrderOfB) {
  EXPECT_THAT(Places({{"aten::relu", first_},
                      {"aten::sigmoid", first_},
                      {"aten::relu", second_},
                      {"aten::relu", first_again_}},
                     {{"aten::sigmoid", first_int8_},
                      {"aten::relu", second_},
                      {"aten::relu", first_int8_},
                      {"aten::relu", first_again_}}),
              ElementsAre("sigmoid: 1 / 0", "relu: 2 / 1", "relu: 0 / 2",
                          "relu: 3 / 3"));
}

// B has fused one of the calls into another layer.
TEST_F(PlacesByNameTest, CallsAreAtNoneWhenOneModelHasMoreOfThem) {
  EXPECT_THAT(Places({{"aten::relu", first_},
                      {"aten::relu", first_again_},
                      {"aten::relu", second_}},
                     {{"aten::relu", first_int8_}, {"aten::relu", second_}}),
              ElementsAre("relu: 2 / 1"));
}

// A has lost the path of its last call, B has fused its first one.
TEST_F(PlacesByNameTest, CallsAreAtNoneWhenOthersOfThemAreMissing) {
  const ModulePath first_thrice = {"first", 2, "M"};
  EXPECT_THAT(Places({{"aten::relu", first_},
                      {"aten::sigmoid", second_},
                      {"aten::relu", first_again_},
                      {"aten::relu", {}}},
                     {{"aten::sigmoid", second_},
                      {"aten::relu", first_again_},
                      {"aten::relu", first_thrice}}),
              ElementsAre("sigmoid: 1 / 0"));
}

TEST_F(PlacesByNameTest, CodeOfTheRootIsAtNone) {
  EXPECT_THAT(Places({{"aten::relu", {}}, {"aten::sigmoid", first_}},
                     {{"aten::relu", {}}, {"aten::sigmoid", first_}}),
              ElementsAre("sigmoid: 1 / 1"));
  EXPECT_THAT(Places({{"aten::relu", first_}}, {{"aten::relu", {}}}),
              IsEmpty());
}

}  // namespace
}  // namespace ns

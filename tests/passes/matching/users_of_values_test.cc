#include "passes/matching/users_of_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<int> NodesThatUse(const UsersOfValues& users,
                              const Source& source) {
  std::vector<int> nodes;
  users.ForEach(source, [&](UsersOfValues::User user) {
    nodes.push_back(user.node * 10 + user.steps);
  });
  return nodes;
}

class UsersOfValuesTest : public testing::Test {
 protected:
  UsersOfValuesTest() {
    users_.Add(made_, {1, 0});
    users_.Add(input_, {1, 2});
    users_.Add(made_, {3, 1});
  }

  torch::jit::Graph graph_;
  const Source made_ = {graph_.addInput(), 0};
  const Source input_ = {graph_.addInput(), -1};
  const Source other_ = {graph_.addInput(), -1};
  UsersOfValues users_{4};
};

TEST_F(UsersOfValuesTest, AreKeptByValue) {
  EXPECT_THAT(NodesThatUse(users_, made_), UnorderedElementsAre(10, 31));
  EXPECT_THAT(NodesThatUse(users_, input_), UnorderedElementsAre(12));
  EXPECT_THAT(NodesThatUse(users_, other_), IsEmpty());
  EXPECT_THAT(NodesThatUse(users_, {other_.value, 2}), IsEmpty());
}

TEST_F(UsersOfValuesTest, AreForgotten) {
  users_.Clear();
  EXPECT_THAT(NodesThatUse(users_, made_), IsEmpty());
  EXPECT_THAT(NodesThatUse(users_, input_), IsEmpty());
  users_.Add(made_, {2, 0});
  EXPECT_THAT(NodesThatUse(users_, made_), UnorderedElementsAre(20));
}

}  // namespace
}  // namespace ns

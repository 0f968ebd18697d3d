#include "passes/instrument/pair/shared_inputs.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A model with `forward(self, <arguments>)` and `body`.
ModelGraph With(const std::string& arguments, const std::string& body) {
  return OrThrow(ModelGraph::FromModule(MakeModule(
      "Model", "def forward(self, " + arguments + "):\n    " + body + "\n")));
}

TEST(SharedInputsTest, SharesTensorsAndNumbers) {
  const ModelGraph a = With("x: Tensor, k: float = 2.0", "return x * k");
  const ModelGraph b = With("x: Tensor, k: float = 2.0", "return x + k");
  EXPECT_THAT(OrThrow(OwnInputsOfB(a, b)), IsEmpty());
}

TEST(SharedInputsTest, KeepsWhatOneModelOverwrites) {
  const ModelGraph reads = With("x: Tensor, y: Tensor", "return x + y");
  const ModelGraph writes = With("x: Tensor, y: Tensor", "return y.add_(x)");
  // The first may be the same tensor.
  EXPECT_THAT(OrThrow(OwnInputsOfB(reads, writes)), ElementsAre(0, 1));
  EXPECT_THAT(OrThrow(OwnInputsOfB(writes, reads)), ElementsAre(0, 1));
}

TEST(SharedInputsTest, KeepsWhatALaterTripOverwrites) {
  const std::string loop =
      "y = x * 2\n"
      "    z = x * 3\n"
      "    for i in range(3):\n"
      "        z = z + CHANGED\n"
      "        y = x\n"
      "    return z";
  const ModelGraph reads =
      With("x: Tensor", absl::StrReplaceAll(loop, {{"CHANGED", "y.add(1)"}}));
  const ModelGraph writes =
      With("x: Tensor", absl::StrReplaceAll(loop, {{"CHANGED", "y.add_(1)"}}));
  EXPECT_THAT(OrThrow(OwnInputsOfB(reads, reads)), IsEmpty());
  EXPECT_THAT(OrThrow(OwnInputsOfB(reads, writes)), ElementsAre(0));
}

TEST(SharedInputsTest, KeepsOtherNamesTypesAndDefaults) {
  const ModelGraph a =
      With("x: Tensor, y: Tensor, n: int, k: float = 2.0", "return x + y");
  const ModelGraph b =
      With("y: Tensor, x: Tensor, n: float, k: float = 3.0", "return x + y");
  EXPECT_THAT(OrThrow(OwnInputsOfB(a, b)), ElementsAre(0, 1, 2, 3));
}

TEST(SharedInputsTest, ComparesDefaultsThatAreTensors) {
  const auto with_default = [](const std::string& value) {
    return With("x: Tensor, s: Tensor = " + value, "return x + s");
  };
  const ModelGraph zeros = with_default("torch.zeros([2])");
  EXPECT_THAT(OrThrow(OwnInputsOfB(zeros, with_default("torch.zeros([2])"))),
              IsEmpty());
  for (const char* other :
       {"torch.ones([2])", "torch.zeros([3])", "torch.zeros([1, 2])",
        "torch.zeros([2], dtype=7)"}) {
    EXPECT_THAT(OrThrow(OwnInputsOfB(zeros, with_default(other))),
                ElementsAre(1))
        << other;
  }
}

TEST(SharedInputsTest, KeepsContainersAndWhatAHasNot) {
  const ModelGraph a = With("x: List[Tensor]", "return x[0]");
  const ModelGraph b = With("x: List[Tensor], y: Tensor", "return x[0] + y");
  EXPECT_THAT(OrThrow(OwnInputsOfB(a, b)), ElementsAre(0, 1));
}

}  // namespace
}  // namespace ns

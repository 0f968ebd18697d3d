#include "ir/files/check_module_code.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr char kCode[] = R"(class Net(Module):
  __parameters__ = ["weight", ]
  __buffers__ = []
  weight : Tensor
  training : bool
  scale : Final[int] = 3
  __annotations__["0"] = __torch__.torch.nn.modules.linear.Linear
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    y = torch.mul(x, 2)
    if bool(y):
      z = 1
    return y
class Pair(NamedTuple):
  a : Tensor
  b : int
class Color(Enum):
  RED = 1
def twice(x: Tensor) -> Tensor:
  y = torch.add(x, x)
  return y
)";

std::string MessageFor(absl::string_view superclass, absl::string_view line) {
  return std::string(
      CheckModuleCode(
          absl::StrCat("class A", superclass, ":\n  ", line, "\n  x : int\n"))
          .message());
}

TEST(CheckModuleCodeTest, AcceptsWhatLibTorchWrites) {
  NS_EXPECT_OK(CheckModuleCode(kCode));
  NS_EXPECT_OK(CheckModuleCode(""));
}

TEST(CheckModuleCodeTest, AttributesNeedTypes) {
  for (const char* superclass : {"(Module)", "(NamedTuple)", ""}) {
    for (const char* line : {"y = 1", "y", "y = [a : b]", "y = {1: 2}"}) {
      EXPECT_THAT(MessageFor(superclass, line), HasSubstr("without a type"))
          << superclass << line;
    }
  }
}

TEST(CheckModuleCodeTest, ListsAndMembersOfEnumsNeedValues) {
  for (const char* line : {"__parameters__ : int", "__buffers__",
                           "__annotations__[\"0\"] : int"}) {
    EXPECT_THAT(MessageFor("(Module)", line), HasSubstr("without a value"))
        << line;
  }
  EXPECT_THAT(MessageFor("(Enum)", "RED : int"), HasSubstr("without a value"));
}

TEST(CheckModuleCodeTest, RefusesCodeThatNestsTooDeep) {
  EXPECT_THAT(std::string(CheckModuleCode(std::string(100'000, '(')).message()),
              HasSubstr("nests more than"));
}

TEST(CheckModuleCodeTest, RefusesTypesThatNestTooDeep) {
  NS_EXPECT_OK(CheckTypeText("Dict[str, List[Tuple[int, Tensor]]]"));
  std::string type;
  for (int i = 0; i < 50'000; ++i) {
    type += "List[";
  }
  EXPECT_FALSE(CheckTypeText(type).ok());
}

}  // namespace
}  // namespace ns

#include "ir/flatten/replace_futures.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReplaceFuturesTest, WaitedValuesAreUsedThemselves) {
  const auto graph = GraphOf(R"IR(
graph(%future : Future(Tensor), %flag : bool):
  %zero : int = prim::Constant[value=0]()
  %futures : Future(Tensor)[] = prim::ListConstruct(%future)
  %y : Tensor = prim::If(%flag)
    block0():
      %first : Future(Tensor) = aten::__getitem__(%futures, %zero)
      %a : Tensor = aten::wait(%first)
      -> (%a)
    block1():
      %b : Tensor = aten::wait(%future)
      -> (%b)
  return (%y))IR");
  ReplaceFuturesByValues(*graph);
  ExpectIr(graph, R"IR(
graph(%value : Tensor, %flag : bool):
  %zero : int = prim::Constant[value=0]()
  %values : Tensor[] = prim::ListConstruct(%value)
  %y : Tensor = prim::If(%flag)
    block0():
      %first : Tensor = aten::__getitem__(%values, %zero)
      -> (%first)
    block1():
      -> (%value)
  return (%y))IR");
}

TEST(ReplaceFuturesTest, FuturesInTuplesAndOptionalsAreValues) {
  const auto graph = GraphOf(R"IR(
graph(%future : Future(Tensor), %x : Tensor):
  %pair : (Future(Tensor), Tensor) = prim::TupleConstruct(%future, %x)
  %a : Future(Tensor), %b : Tensor = prim::TupleUnpack(%pair)
  %maybe : Future(Tensor)? = prim::unchecked_cast(%a)
  %sure : Future(Tensor) = aten::_unwrap_optional(%maybe)
  %y : Tensor = aten::wait(%sure)
  return (%y))IR");
  ReplaceFuturesByValues(*graph);
  EXPECT_THAT(graph->toString(), Not(HasSubstr("Future")));
  EXPECT_THAT(graph->toString(), Not(HasSubstr("wait")));
  EXPECT_THAT(graph->toString(), HasSubstr("(Tensor, Tensor)"));
}

TEST(ReplaceFuturesTest, LeavesOtherTypesAlone) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %names : Dict(str, int[])):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const std::string before = graph->toString();
  ReplaceFuturesByValues(*graph);
  EXPECT_EQ(graph->toString(), before);
}

}  // namespace
}  // namespace ns

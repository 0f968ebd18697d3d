#include "passes/quantization/observe/sensitive_readers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// The reader of %v in a graph with these lines, which make %r of it.
std::string ReaderIn(const std::string& lines) {
  const std::string text = absl::StrCat(R"IR(
graph(%x : Tensor, %y : Tensor, %dims : int[]):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %half : float = prim::Constant[value=0.5]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %v : Tensor = aten::mul(%x, %y)
)IR",
                                        lines, "  return (%r)\n");
  const NamedGraph graph(text.c_str());
  return std::string(SensitiveReader(*graph.Named("v")));
}

TEST(SensitiveReadersTest, AreBehindWhatMovesAndAverages) {
  EXPECT_EQ(ReaderIn("  %m : Tensor = aten::mean(%v, %dims, %yes, %none)\n"
                     "  %e : Tensor = aten::add(%m, %half, %one)\n"
                     "  %t : Tensor = aten::transpose(%e, %one, %two)\n"
                     "  %r : Tensor = aten::rsqrt(%t)\n"),
            "rsqrt");
  EXPECT_EQ(ReaderIn("  %c : Tensor = aten::clamp(%v, %half, %none)\n"
                     "  %r : Tensor = aten::log(%c)\n"),
            "log");
}

TEST(SensitiveReadersTest, DivisorsAreAndDividendsAreNot) {
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::div(%x, %v)\n"), "div");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::div(%v, %x)\n"), "");
}

TEST(SensitiveReadersTest, PowersBelowOneAre) {
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::pow(%v, %half)\n"), "pow");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::pow(%v, %two)\n"), "");
}

// What it is added to has an error of its own.
TEST(SensitiveReadersTest, SumsWithOtherValuesEndTheWay) {
  EXPECT_EQ(ReaderIn("  %s : Tensor = aten::add(%v, %y, %one)\n"
                     "  %r : Tensor = aten::sqrt(%s)\n"),
            "");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::tanh(%v)\n"), "");
}

TEST(SensitiveReadersTest, ProductsMayBeSummedUp) {
  EXPECT_EQ(ReaderIn("  %w : Tensor = aten::mul(%y, %y)\n"
                     "  %s : Tensor = aten::add(%v, %w, %one)\n"
                     "  %r : Tensor = aten::sqrt(%s)\n"),
            "sqrt");
  EXPECT_EQ(ReaderIn("  %w : Tensor = aten::mul(%y, %y)\n"
                     "  %t : Tensor = aten::transpose(%w, %one, %two)\n"
                     "  %m : Tensor = aten::mean(%v, %dims, %yes, %none)\n"
                     "  %s : Tensor = aten::sub(%m, %t, %one)\n"
                     "  %e : Tensor = aten::add(%s, %half, %one)\n"
                     "  %r : Tensor = aten::rsqrt(%e)\n"),
            "rsqrt");
  EXPECT_EQ(ReaderIn("  %w : Tensor = aten::mul(%y, %y)\n"
                     "  %s : Tensor = aten::add(%v, %w, %one)\n"
                     "  %r : Tensor = aten::tanh(%s)\n"),
            "");
}

TEST(SensitiveReadersTest, AreBehindControlFlowAndContainers) {
  EXPECT_EQ(ReaderIn("  %m : Tensor = prim::If(%yes)\n"
                     "    block0():\n"
                     "      %e : Tensor = aten::add(%v, %half, %one)\n"
                     "      -> (%e)\n"
                     "    block1():\n"
                     "      -> (%y)\n"
                     "  %r : Tensor = aten::rsqrt(%m)\n"),
            "rsqrt");
  EXPECT_EQ(ReaderIn("  %l : Tensor[] = prim::ListConstruct(%y, %v)\n"
                     "  %c : Tensor = aten::cat(%l, %one)\n"
                     "  %r : Tensor = aten::log(%c)\n"),
            "log");
}

}  // namespace
}  // namespace ns

#include "passes/quantization/observe/score_readers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

NamedGraph GraphOf(const std::string& lines) {
  return NamedGraph(absl::StrCat(R"IR(
graph(%v : Tensor, %mask : Tensor, %p : bool, %n : int, %dims : int[]):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
)IR",
                                 lines, "  return (%r)\n"));
}

// The reader of %v in a graph with these lines, which make %r of it.
std::string ReaderIn(const std::string& lines) {
  return std::string(ScoreReader(*GraphOf(lines).Named("v")));
}

constexpr char kMaskedInIf[] =
    "  %s : Tensor = prim::If(%p)\n"
    "    block0():\n"
    "      %m : Tensor = aten::add(%v, %mask, %one)\n"
    "      -> (%m)\n"
    "    block1():\n"
    "      -> (%v)\n";

TEST(ScoreReadersTest, AreSoftmaxesAndExponentials) {
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::softmax(%v, %one, %none)\n"),
            "softmax");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::log_softmax(%v, %one, %none)\n"),
            "log_softmax");
  EXPECT_EQ(ReaderIn("  %s : Tensor = aten::sub(%v, %mask, %one)\n"
                     "  %r : Tensor = aten::exp(%s)\n"),
            "exp");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::logsumexp(%v, %dims, %p)\n"),
            "logsumexp");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::exp2(%v)\n"), "exp2");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::pow(%one, %v)\n"), "pow");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::pow(%v, %one)\n"), "");
  EXPECT_EQ(ReaderIn("  %r : Tensor = aten::tanh(%v)\n"), "");
}

TEST(ScoreReadersTest, AreBehindMasksInControlFlow) {
  EXPECT_EQ(
      ReaderIn(absl::StrCat(
          kMaskedInIf, "  %r : Tensor = aten::softmax(%s, %one, %none)\n")),
      "softmax");
  EXPECT_EQ(ReaderIn("  %s : Tensor = prim::Loop(%n, %p, %v)\n"
                     "    block0(%i : int, %w : Tensor):\n"
                     "      %m : Tensor = aten::add(%w, %mask, %one)\n"
                     "      -> (%p, %m)\n"
                     "  %r : Tensor = aten::softmax(%s, %one, %none)\n"),
            "softmax");
}

TEST(ScoreReadersTest, AreBehindListsAndWhatMovesScores) {
  EXPECT_EQ(ReaderIn("  %l : Tensor[] = prim::ListConstruct(%v, %mask)\n"
                     "  %c : Tensor = aten::cat(%l, %one)\n"
                     "  %t : Tensor = aten::roll(%c, %dims, %dims)\n"
                     "  %r : Tensor = aten::softmax(%t, %one, %none)\n"),
            "softmax");
}

// As F.softmin writes it.
TEST(ScoreReadersTest, AreBehindNegatedScores) {
  EXPECT_EQ(ReaderIn("  %s : Tensor = aten::neg(%v)\n"
                     "  %r : Tensor = aten::softmax(%s, %one, %none)\n"),
            "softmax");
}

TEST(ScoreReadersTest, NeitherActivationsNorDivisorsHandScoresOn) {
  EXPECT_EQ(ReaderIn("  %s : Tensor = aten::sigmoid(%v)\n"
                     "  %r : Tensor = aten::softmax(%s, %one, %none)\n"),
            "");
  EXPECT_EQ(ReaderIn("  %s : Tensor = aten::div(%mask, %v)\n"
                     "  %r : Tensor = aten::softmax(%s, %one, %none)\n"),
            "");
}

}  // namespace
}  // namespace ns

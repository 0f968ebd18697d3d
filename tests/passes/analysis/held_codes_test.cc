#include "passes/analysis/held_codes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// What %y holds in a graph of these lines.
Held HeldByY(const std::string& lines) {
  const NamedGraph graph(absl::StrCat(R"IR(
graph(%x : Tensor, %p : bool, %n : int, %unknown : int, %scales : Tensor,
      %zeros : Tensor, %t : (Tensor, Tensor)):
  %scale : float = prim::Constant[value=0.1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %quint8 : int = prim::Constant[value=13]()
  %qint8 : int = prim::Constant[value=12]()
  %float : int = prim::Constant[value=6]()
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %quint8)
  %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8))IR",
                                      lines, "\n  return (%x)"));
  return HeldBy(*graph.Named("y"));
}

TEST(HeldCodesTest, QuantizeOpsTell) {
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %quint8))IR"),
            Held::kQuint8);
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::quantize_per_tensor_dynamic(%x, %quint8, %no))IR"),
            Held::kQuint8);
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8))IR"),
            Held::kOtherCodes);
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %unknown))IR"),
            Held::kCodes);
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::quantize_per_channel(%x, %scales, %zeros, %one, %quint8)
)IR"),
            Held::kOtherCodes);
}

TEST(HeldCodesTest, FloatOpsHoldFloat) {
  EXPECT_EQ(HeldByY("\n  %y : Tensor = aten::dequantize(%q)"), Held::kFloat);
  EXPECT_EQ(HeldByY("\n  %y : Tensor = aten::linear(%x, %x, %none)"),
            Held::kFloat);
  EXPECT_EQ(HeldByY(R"IR(
  %y : Tensor = aten::to(%x, %float, %no, %no, %none))IR"),
            Held::kFloat);
}

TEST(HeldCodesTest, OtherOpsHoldWhatTheyTake) {
  EXPECT_EQ(HeldByY(R"IR(
  %r : Tensor = aten::relu(%q)
  %y : Tensor = aten::transpose(%r, %zero, %one))IR"),
            Held::kQuint8);
  EXPECT_EQ(HeldByY(R"IR(
  %l : Tensor[] = prim::ListConstruct(%s, %s)
  %y : Tensor = aten::cat(%l, %one))IR"),
            Held::kOtherCodes);
  EXPECT_EQ(HeldByY("\n  %y : Tensor = quantized::add(%s, %q, %scale, %zero)"),
            Held::kOtherCodes);
}

TEST(HeldCodesTest, InputsAndElementsOfTuplesAreUnknown) {
  EXPECT_EQ(HeldByY("\n  %y : Tensor = aten::relu(%x)"), Held::kUnknown);
  EXPECT_EQ(HeldByY("\n  %y : Tensor, %z : Tensor = prim::TupleUnpack(%t)"),
            Held::kUnknown);
  EXPECT_EQ(HeldByY("\n  %y : Tensor = quantized::add(%x, %q, %scale, %zero)"),
            Held::kCodes);
}

// %y is what an arm or the other gives.
Held HeldByArms(const std::string& one, const std::string& other) {
  return HeldByY(absl::StrCat(R"IR(
  %y : Tensor = prim::If(%p)
    block0():
      -> (%)IR",
                              one, R"IR()
    block1():
      %u : Tensor = prim::Uninitialized()
      -> (%)IR",
                              other, ")"));
}

TEST(HeldCodesTest, ArmsMustAgree) {
  EXPECT_EQ(HeldByArms("q", "q"), Held::kQuint8);
  EXPECT_EQ(HeldByArms("s", "s"), Held::kOtherCodes);
  EXPECT_EQ(HeldByArms("q", "s"), Held::kMixed);
  EXPECT_EQ(HeldByArms("s", "q"), Held::kMixed);
  EXPECT_EQ(HeldByArms("q", "x"), Held::kUnknown);
  EXPECT_EQ(HeldByArms("q", "u"), Held::kQuint8);
}

// %y is carried through a loop, in which `line` makes %next of %v.
Held HeldByLoop(const std::string& first, const std::string& line) {
  return HeldByY(absl::StrCat(R"IR(
  %y : Tensor = prim::Loop(%n, %p, %)IR",
                              first, R"IR()
    block0(%i : int, %v : Tensor):
      )IR",
                              line, "\n      -> (%p, %next)"));
}

TEST(HeldCodesTest, TripsMustAgree) {
  constexpr char kRelu[] = "%next : Tensor = aten::relu(%v)";
  EXPECT_EQ(HeldByLoop("q", kRelu), Held::kQuint8);
  EXPECT_EQ(HeldByLoop("s", kRelu), Held::kOtherCodes);
  EXPECT_EQ(HeldByLoop("x", kRelu), Held::kUnknown);
  EXPECT_EQ(HeldByLoop("q", "%next : Tensor = aten::relu(%s)"), Held::kMixed);
  EXPECT_EQ(HeldByLoop("q", "%next : Tensor = aten::dequantize(%v)"),
            Held::kMixed);
  EXPECT_EQ(HeldByLoop("q", R"IR(%d : Tensor = aten::dequantize(%v)
      %next : Tensor = aten::quantize_per_tensor(%d, %scale, %one, %quint8))IR"),
            Held::kQuint8);
}

TEST(HeldCodesTest, ValuesInsideLoopsAreFollowedOut) {
  EXPECT_EQ(HeldByY(R"IR(
  %z : Tensor = prim::Loop(%n, %p, %q)
    block0(%i : int, %v : Tensor):
      %y : Tensor = aten::relu(%v)
      -> (%p, %s))IR"),
            Held::kMixed);
}

}  // namespace
}  // namespace ns

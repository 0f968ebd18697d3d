#include "passes/analysis/value_facts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// What the table of facts says in a word.
std::string InAWord(const TensorFacts& facts) {
  if (facts.is_quantized.Is(false)) {
    return "float";
  }
  if (facts.is_quantized.Differs() || facts.dtype.Differs() ||
      facts.is_per_tensor.Differs()) {
    return "mixed";
  }
  if (!facts.is_quantized.Is(true)) {
    return "unknown";
  }
  return facts.dtype.IsUnknown() ? "quantized"
         : facts.dtype.Is(c10::kQUInt8) && facts.is_per_tensor.Is(true)
             ? "quint8"
             : "other";
}

// What %y holds in a graph of these lines.
std::string SureOfY(const std::string& lines) {
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
  return InAWord(ValueFacts(*graph).Sure(*graph.Named("y")));
}

TEST(ValueFactsTest, QuantizeOpsTell) {
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %quint8))IR"),
            "quint8");
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::quantize_per_tensor_dynamic(%x, %quint8, %no))IR"),
            "quint8");
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8))IR"),
            "other");
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %unknown))IR"),
            "quantized");
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::quantize_per_channel(%x, %scales, %zeros, %one, %quint8)
)IR"),
            "other");
}

TEST(ValueFactsTest, FloatOpsHoldFloat) {
  EXPECT_EQ(SureOfY("\n  %y : Tensor = aten::dequantize(%q)"), "float");
  EXPECT_EQ(SureOfY("\n  %y : Tensor = aten::linear(%x, %x, %none)"), "float");
  EXPECT_EQ(SureOfY(R"IR(
  %y : Tensor = aten::to(%x, %float, %no, %no, %none))IR"),
            "float");
}

TEST(ValueFactsTest, OtherOpsHoldWhatTheyTake) {
  EXPECT_EQ(SureOfY(R"IR(
  %r : Tensor = aten::relu(%q)
  %y : Tensor = aten::transpose(%r, %zero, %one))IR"),
            "quint8");
  EXPECT_EQ(SureOfY(R"IR(
  %l : Tensor[] = prim::ListConstruct(%s, %s)
  %y : Tensor = aten::cat(%l, %one))IR"),
            "other");
  EXPECT_EQ(SureOfY("\n  %y : Tensor = quantized::add(%s, %q, %scale, %zero)"),
            "other");
}

TEST(ValueFactsTest, ListsThatGrowHoldWhatComesToThem) {
  for (const std::string& write :
       {"%w : Tensor[] = aten::append(%l, %q)", "aten::extend(%l, %more)",
        "%w : Tensor[] = aten::add_(%l, %more)"}) {
    const std::string made = R"IR(
  %f : Tensor = aten::dequantize(%q)
  %l : Tensor[] = prim::ListConstruct(%f)
  %more : Tensor[] = prim::ListConstruct(%q))IR";
    const std::string read = R"IR(
  %y : Tensor = aten::__getitem__(%l, %one))IR";
    EXPECT_EQ(SureOfY(made + read), "float");
    EXPECT_EQ(SureOfY(made + "\n  " + write + read), "unknown");
  }
}

TEST(ValueFactsTest, InputsAndElementsOfTuplesAreUnknown) {
  EXPECT_EQ(SureOfY("\n  %y : Tensor = aten::relu(%x)"), "unknown");
  EXPECT_EQ(SureOfY("\n  %y : Tensor, %z : Tensor = prim::TupleUnpack(%t)"),
            "unknown");
  EXPECT_EQ(SureOfY("\n  %y : Tensor = quantized::add(%x, %q, %scale, %zero)"),
            "quantized");
}

// %y is what an arm or the other gives.
std::string SureOfArms(const std::string& one, const std::string& other) {
  return SureOfY(absl::StrCat(R"IR(
  %y : Tensor = prim::If(%p)
    block0():
      -> (%)IR",
                              one, R"IR()
    block1():
      %u : Tensor = prim::Uninitialized()
      -> (%)IR",
                              other, ")"));
}

TEST(ValueFactsTest, ArmsMustAgree) {
  EXPECT_EQ(SureOfArms("q", "q"), "quint8");
  EXPECT_EQ(SureOfArms("s", "s"), "other");
  EXPECT_EQ(SureOfArms("q", "s"), "mixed");
  EXPECT_EQ(SureOfArms("s", "q"), "mixed");
  EXPECT_EQ(SureOfArms("q", "x"), "unknown");
  EXPECT_EQ(SureOfArms("q", "u"), "quint8");
}

// %y is carried through a loop, in which `line` makes %next of %v.
std::string SureOfLoop(const std::string& first, const std::string& line) {
  return SureOfY(absl::StrCat(R"IR(
  %y : Tensor = prim::Loop(%n, %p, %)IR",
                              first, R"IR()
    block0(%i : int, %v : Tensor):
      )IR",
                              line, "\n      -> (%p, %next)"));
}

TEST(ValueFactsTest, TripsMustAgree) {
  constexpr char kRelu[] = "%next : Tensor = aten::relu(%v)";
  EXPECT_EQ(SureOfLoop("q", kRelu), "quint8");
  EXPECT_EQ(SureOfLoop("s", kRelu), "other");
  EXPECT_EQ(SureOfLoop("x", kRelu), "unknown");
  EXPECT_EQ(SureOfLoop("q", "%next : Tensor = aten::relu(%s)"), "mixed");
  EXPECT_EQ(SureOfLoop("q", "%next : Tensor = aten::dequantize(%v)"), "mixed");
  EXPECT_EQ(SureOfLoop("q", R"IR(%d : Tensor = aten::dequantize(%v)
      %next : Tensor = aten::quantize_per_tensor(%d, %scale, %one, %quint8))IR"),
            "quint8");
}

TEST(ValueFactsTest, ValuesInsideLoopsAreFollowedOut) {
  EXPECT_EQ(SureOfY(R"IR(
  %z : Tensor = prim::Loop(%n, %p, %q)
    block0(%i : int, %v : Tensor):
      %y : Tensor = aten::relu(%v)
      -> (%p, %s))IR"),
            "mixed");
}

}  // namespace
}  // namespace ns

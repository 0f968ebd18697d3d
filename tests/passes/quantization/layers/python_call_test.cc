#include "passes/quantization/layers/python_call.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using Form = PythonCall::Form;

std::string Parsed(absl::string_view text) {
  const PythonCall call = ParsePythonCall(text);
  switch (call.form) {
    case Form::kUnknown:
      return "unknown";
    case Form::kFunction:
      return "function " + call.name;
    case Form::kMethod:
      return "method " + call.name;
    case Form::kOperator:
      return "operator";
  }
  return "";
}

TEST(PythonCallTest, FunctionsHaveAModuleOrNone) {
  EXPECT_EQ(Parsed("torch.relu"), "function torch.relu");
  EXPECT_EQ(Parsed("F.relu_"), "function F.relu_");
  EXPECT_EQ(Parsed("torch.nn.functional.relu"), "function F.relu");
  EXPECT_EQ(Parsed("nn.functional.interpolate"), "function F.interpolate");
  EXPECT_EQ(Parsed("relu"), "function relu");
}

TEST(PythonCallTest, MethodsBelongToAValue) {
  EXPECT_EQ(Parsed("x.relu"), "method relu");
  EXPECT_EQ(Parsed("self.conv(torch.cat([x, y], 1)).flatten"),
            "method flatten");
  EXPECT_EQ(Parsed("self.conv(x)\n    .view"), "method view");
  EXPECT_EQ(Parsed("(x + y).relu_"), "method relu_");
  EXPECT_EQ(Parsed("torch.relu(x).add"), "method add");
  EXPECT_EQ(Parsed("self.activate"), "method activate");
}

TEST(PythonCallTest, OperatorsStandOutsideOfBrackets) {
  for (const char* text :
       {"x + y", "x += self.conv(y)", "x @ y.transpose(1, 2)", "-x", "x[0]",
        "self.a(x) * torch.sigmoid(y)", "(x + y)", "2 * (x + y)"}) {
    EXPECT_EQ(Parsed(text), "operator") << text;
  }
}

TEST(PythonCallTest, StacksOfTracedModelsAndOtherTextsAreUnknown) {
  EXPECT_EQ(Parsed(""), "unknown");
  EXPECT_EQ(Parsed("/src/net.py(11): forward\n/src/main.py(3): <module>\n"),
            "unknown");
}

TEST(PythonCallTest, NodesWithoutPythonCodeAreUnknown) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  EXPECT_EQ(PythonCallOf(*NodeOf(*graph, "aten::relu")), PythonCall());
}

}  // namespace
}  // namespace ns

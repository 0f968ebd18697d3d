#include "passes/instrument/add_shadow_loggers.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "passes/extraction/extract_logger_info.h"
#include "tests/passes/instrument/shadowed.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using AddShadowLoggersTest = ShadowedTest;

TEST_F(AddShadowLoggersTest, PutsShadowAndLoggersAroundWhatIsShadowed) {
  LoggerOptions options;
  options.guard_shadows = false;
  const Shadowed model(kFloatAdd, kQuantizedAdd, options);
  NS_ASSERT_OK(model.status);
  EXPECT_THAT(model.not_shadowed, IsEmpty());
  const auto nodes = AllNodes(model.b.graph());
  std::vector<std::string> ops;
  for (const torch::jit::Node* node : nodes) {
    if (node->kind() != c10::prim::Constant) {
      ops.emplace_back(node->kind().toQualString());
    }
  }
  EXPECT_THAT(ops, ElementsAre("ns::as_float", "ns::as_float", "aten::add",
                               "aten::relu", "prim::GetAttr",
                               "prim::CallMethod", "quantized::add_relu",
                               "prim::GetAttr", "prim::CallMethod"));
}

TEST_F(AddShadowLoggersTest, ShadowsInsideControlFlow) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %w : Tensor = prim::If(%p)
        block0():
          %a : Tensor = aten::sigmoid(%v)
          -> (%a)
        block1():
          %b : Tensor = aten::tanh(%v)
          -> (%b)
      -> (%p, %w)
  return (%y))IR";
  Shadowed model(kText, kText);
  NS_ASSERT_OK(model.status);
  EXPECT_THAT(model.not_shadowed, IsEmpty());
  const at::Tensor first = q_.sigmoid();
  EXPECT_TRUE(
      model.Run({q_, int64_t{2}, true}).toTensor().equal(first.sigmoid()));
  const auto shadows = model.Values("sigmoid", "float");
  ASSERT_THAT(shadows, SizeIs(2));
  EXPECT_TRUE(shadows[0].equal(q_.dequantize().sigmoid()));
  EXPECT_TRUE(shadows[1].equal(first.dequantize().sigmoid()));
  EXPECT_THAT(model.Values("tanh", "float"), IsEmpty());
}

// Each arm computes of a value of its own.
constexpr char kChoice[] = R"IR(
  %a : Tensor = aten::tanh(%x)
  %b : Tensor = aten::relu(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %s : Tensor = aten::sigmoid(%a)
      -> (%s)
    block1():
      %t : Tensor = aten::sigmoid(%b)
      -> (%t)
  return (%y))IR";

TEST_F(AddShadowLoggersTest, ShadowsTakeWhatEitherArmComputesOf) {
  const std::string text =
      absl::StrCat("graph(%x : Tensor, %p : bool):", kChoice);
  for (const bool takes_first : {true, false}) {
    Shadowed model(text, text);
    NS_ASSERT_OK(model.status);
    EXPECT_THAT(model.not_shadowed, IsEmpty());
    const at::Tensor input = takes_first ? q_.tanh() : q_.relu();
    EXPECT_TRUE(model.Run({q_, takes_first}).toTensor().equal(input.sigmoid()));
    const auto shadows = model.Values("sigmoid", "float");
    ASSERT_THAT(shadows, SizeIs(1));
    EXPECT_TRUE(shadows[0].equal(input.dequantize().sigmoid()));
  }
}

// The models may choose otherwise where the condition is made of data.
TEST_F(AddShadowLoggersTest, ShadowsTakeTheArmOfTheQuantizedModel) {
  const auto with_limit = [](const char* limit) {
    return absl::StrCat(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %limit : float = prim::Constant[value=)IR",
                        limit, R"IR(]()
  %sum : Tensor = aten::sum(%x, %none)
  %greater : Tensor = aten::gt(%sum, %limit)
  %p : bool = aten::Bool(%greater))IR",
                        kChoice);
  };
  Shadowed model(with_limit("100."), with_limit("-100."));
  NS_ASSERT_OK(model.status);
  EXPECT_THAT(model.not_shadowed, IsEmpty());
  model.Run({x_});
  const auto shadows = model.Values("sigmoid", "float");
  ASSERT_THAT(shadows, SizeIs(1));
  EXPECT_TRUE(shadows[0].equal(x_.tanh().sigmoid()));
}

TEST_F(AddShadowLoggersTest, QuantizePointsAreShadowedByWhatTheyQuantize) {
  Shadowed model(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = aten::relu(%q)
  %d : Tensor = aten::dequantize(%y)
  return (%d))IR");
  model.Run({x_});
  EXPECT_TRUE(model.Values("x.quantize", "float").at(0).equal(x_));
  EXPECT_TRUE(model.Values("x.quantize", "int8").at(0).is_quantized());
}

TEST_F(AddShadowLoggersTest, Int8ShadowsFloatWithItsProducersParameters) {
  Shadowed model(R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %r : Tensor = aten::quantize_per_tensor(%y, %scale, %zero_point, %dtype)
  %s : Tensor = quantized::add_relu(%q, %r, %scale, %zero_point)
  %d : Tensor = aten::dequantize(%s)
  return (%d))IR",
                 kFloatAdd);
  NS_ASSERT_OK(model.status);
  model.Run({x_, x_});
  const at::Tensor q = at::quantize_per_tensor(x_, 0.5, 7, at::kQUInt8);
  const at::Tensor sum = (q.dequantize() * 2).relu();
  const auto shadow = model.Values("add", "float").at(0);
  EXPECT_TRUE(shadow.equal(at::quantize_per_tensor(sum, 0.5, 7, at::kQUInt8)));
  EXPECT_TRUE(model.Values("add", "int8").at(0).equal((x_ * 2).relu()));
}

TEST_F(AddShadowLoggersTest, ListsWhatItCannotShadowWithTheReason) {
  Shadowed model(R"IR(
graph(%x : Tensor, %scale : float):
  %zero_point : int = prim::Constant[value=7]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %s : Tensor = aten::sigmoid(%q)
  %d : Tensor = aten::dequantize(%s)
  return (%d))IR",
                 R"IR(
graph(%x : Tensor, %scale : float):
  %s : Tensor = aten::sigmoid(%x)
  return (%s))IR");
  NS_ASSERT_OK(model.status);
  ASSERT_THAT(model.not_shadowed, SizeIs(1));
  EXPECT_EQ(model.not_shadowed[0].name, "sigmoid");
  EXPECT_THAT(model.not_shadowed[0].reason,
              HasSubstr("scale and zero point of its input"));
  EXPECT_TRUE(model.Run({x_, 0.1}).toTensor().equal(x_.sigmoid()));
}

TEST_F(AddShadowLoggersTest, ShadowDoesNotWriteToTheModelsValues) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor):
  %n : Tensor = aten::neg(%x)
  %y : Tensor = aten::relu_(%n)
  return (%y))IR";
  Shadowed model(kText, kText);
  EXPECT_TRUE(model.Run({x_}).toTensor().equal((-x_).relu()));
  EXPECT_TRUE(model.Values("neg", "int8").at(0).equal(-x_));
  EXPECT_TRUE(model.Values("relu", "float").at(0).equal((-x_).relu()));
}

TEST_F(AddShadowLoggersTest, LogsInputsOfBothSides) {
  LoggerOptions options;
  options.should_log_inputs = true;
  Shadowed model(kFloatAdd, kQuantizedAdd, options);
  const at::Tensor other =
      at::quantize_per_tensor(x_ + 1, 0.1, 40, at::kQUInt8);
  model.Run({q_, other});
  const auto of_shadow = model.Records("add_relu", "float", kNodeInputResult);
  ASSERT_THAT(of_shadow, SizeIs(2));
  EXPECT_EQ(of_shadow[1].info.index_of_arg, 1);
  EXPECT_EQ(of_shadow[1].info.prev_node_name, "y");
  EXPECT_TRUE(of_shadow[1].values.at(0).equal(other.dequantize()));
  const auto of_model = model.Records("add_relu", "int8", kNodeInputResult);
  ASSERT_THAT(of_model, SizeIs(2));
  EXPECT_TRUE(of_model[1].values.at(0).equal(other));
}

TEST_F(AddShadowLoggersTest, ShadowsLstmWithItsState) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %h : Tensor, %c : Tensor, %w : Tensor, %r : Tensor):
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %one : int = prim::Constant[value=1]()
  %state : Tensor[] = prim::ListConstruct(%h, %c)
  %weights : Tensor[] = prim::ListConstruct(%w, %r)
  %y : Tensor, %hn : Tensor, %cn : Tensor = aten::lstm(%x, %state, %weights, %no, %one, %zero, %no, %no, %no)
  return (%y))IR";
  Shadowed model(kText, kText);
  NS_ASSERT_OK(model.status);
  at::manual_seed(3);
  const std::vector<c10::IValue> inputs = {
      at::randn({5, 1, 2}), at::randn({1, 1, 3}), at::randn({1, 1, 3}),
      at::randn({12, 2}), at::randn({12, 3})};
  const at::Tensor y = model.Run(inputs).toTensor();
  EXPECT_TRUE(model.Values("lstm", "float").at(0).equal(y));
  EXPECT_TRUE(model.Values("lstm", "int8").at(0).equal(y));
}

TEST_F(AddShadowLoggersTest, LogsAllOutputsOfShadowAndShadowed) {
  constexpr char kSvd[] = R"IR(
graph(%x : Tensor):
  %yes : bool = prim::Constant[value=1]()
  %u : Tensor, %s : Tensor, %v : Tensor = aten::svd(%x, %yes, %yes)
  return (%u))IR";
  constexpr char kSvdOfNegated[] = R"IR(
graph(%x : Tensor):
  %yes : bool = prim::Constant[value=1]()
  %n : Tensor = aten::neg(%x)
  %u : Tensor, %s : Tensor, %v : Tensor = aten::svd(%n, %yes, %yes)
  return (%u))IR";
  Shadowed model(kSvd, kSvdOfNegated);
  NS_ASSERT_OK(model.status);
  const at::Tensor x = x_.reshape({2, 2});
  model.Run({x});
  const auto [u, s, v] = at::svd(-x);
  for (const char* name : {"float", "int8"}) {
    const auto records = model.Records("svd", name, kNodeOutputResult);
    ASSERT_THAT(records, SizeIs(3));
    EXPECT_TRUE(records[0].values.at(0).equal(u));
    EXPECT_TRUE(records[1].values.at(0).equal(s));
    EXPECT_TRUE(records[2].values.at(0).equal(v));
    EXPECT_EQ(records[2].info.output_index, 2);
    EXPECT_EQ(records[2].info.output_name, "V");
  }
}

TEST_F(AddShadowLoggersTest, LogsAllElementsOfLists) {
  constexpr char kChunks[] = R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %zero : int = prim::Constant[value=0]()
  %parts : Tensor[] = aten::chunk(%x, %two, %zero)
  %a : Tensor, %b : Tensor = prim::ListUnpack(%parts)
  %both : (Tensor, Tensor) = prim::TupleConstruct(%a, %b)
  return (%both))IR";
  Shadowed model(kChunks, kChunks);
  NS_ASSERT_OK(model.status);
  model.Run({x_});
  for (const char* name : {"float", "int8"}) {
    const auto records = model.Records("chunk", name, kNodeOutputResult);
    ASSERT_THAT(records, SizeIs(2));
    EXPECT_TRUE(records[0].values.at(0).equal(x_.slice(0, 0, 2)));
    EXPECT_TRUE(records[1].values.at(0).equal(x_.slice(0, 2, 4)));
  }
}

TEST_F(AddShadowLoggersTest, SavedShadowModelRuns) {
  Shadowed model(kFloatAdd, kQuantizedAdd);
  const std::string path = TemporaryPath("shadow.pt");
  NS_ASSERT_OK(model.b.Save(path));
  torch::jit::Module loaded = OrThrow(LoadModule(path));
  loaded.get_method("forward")({q_, q_});
  const Results results = OrThrow(ExtractLoggerInfo({loaded}));
  EXPECT_TRUE(results.Find("add_relu")
                  ->at(kNodeOutputResult)
                  .at("float")
                  .at(0)
                  .values.at(0)
                  .equal((q_.dequantize() * 2).relu()));
}

torch::jit::Module TwoConvs(const at::Tensor& weight, bool quantized) {
  Submodules submodules = {
      {"first", quantized ? QuantizedConv2d(weight, false) : Conv2d(weight)},
      {"second", quantized ? QuantizedConv2d(weight, false) : Conv2d(weight)}};
  std::vector<std::string> body = {"x = self.first.forward(x)",
                                   "return self.second.forward(x)"};
  if (quantized) {
    submodules.emplace_back("quant", Quantize());
    body.insert(body.begin(), "x = self.quant.forward(x)");
  }
  return MakeModel(submodules, body);
}

TEST_F(AddShadowLoggersTest, ResultsHaveTheirOwnFqnUnlessCompatIsAsked) {
  at::manual_seed(5);
  const at::Tensor weight = at::randn({3, 3, 1, 1});
  for (const bool compat : {false, true}) {
    LoggerOptions options;
    options.compat = compat;
    Shadowed model(OrThrow(ModelGraph::FromModule(TwoConvs(weight, false))),
                   OrThrow(ModelGraph::FromModule(TwoConvs(weight, true))),
                   options);
    EXPECT_EQ(model.Records("first", "int8", kNodeOutputResult).at(0).info.fqn,
              compat ? "second" : "first");
    EXPECT_EQ(model.Records("first", "float", kNodeOutputResult).at(0).info.fqn,
              "first");
  }
}

TEST_F(AddShadowLoggersTest, ReturnsWhatTheFactoryReturnsWhateverItsCode) {
  for (const absl::Status& error :
       {absl::FailedPreconditionError("not ready"),
        absl::ResourceExhaustedError("no more loggers")}) {
    LoggerOptions options;
    options.logger = [&](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
      return error;
    };
    EXPECT_EQ(Shadowed(kFloatAdd, kQuantizedAdd, options).status, error);
  }
}

TEST_F(AddShadowLoggersTest, ReturnsTheErrorOfABadLogger) {
  LoggerOptions options;
  options.logger = [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(3);
  };
  const Shadowed model(kFloatAdd, kQuantizedAdd, options);
  EXPECT_THAT(std::string(model.status.message()),
              HasSubstr("a logger must be an object"));
}

}  // namespace
}  // namespace ns

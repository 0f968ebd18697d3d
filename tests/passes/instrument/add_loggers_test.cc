#include "passes/instrument/add_loggers.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "passes/extraction/extract_logger_info.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Two equal models with loggers.
class Instrumented {
 public:
  explicit Instrumented(absl::string_view text,
                        const LoggerOptions& options = {})
      : a(ModelOf(text)), b(ModelOf(text)) {
    matches = OrThrow(MatchSubgraphs(a, b));
    status = AddLoggers("float", a, "int8", b, matches, options);
  }

  at::Tensor Run(const std::vector<c10::IValue>& inputs) {
    OrThrow(b.Run(inputs));
    return OrThrow(a.Run(inputs)).toTensor();
  }
  Results Extract() {
    return OrThrow(ExtractLoggerInfo({a.module(), b.module()}));
  }
  // Outputs of one layer of the float model.
  std::vector<at::Tensor> Logged(const std::string& layer) {
    return Extract()
        .Find(layer)
        ->at(kNodeOutputResult)
        .at("float")
        .at(0)
        .values;
  }

  ModelGraph a;
  ModelGraph b;
  MatchResult matches;
  absl::Status status;
};

constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::neg_(%a)
  %c : Tensor = aten::relu_(%b)
  return (%c))IR";

class AddLoggersTest : public testing::Test {
 protected:
  const at::Tensor x_ = at::arange(6, at::kFloat) - 3;
};

TEST_F(AddLoggersTest, ModelsComputeWhatTheyDid) {
  Instrumented models(kInPlace);
  NS_ASSERT_OK(models.status);
  ModelGraph plain = ModelOf(kInPlace);
  EXPECT_TRUE(models.Run({x_}).equal(OrThrow(plain.Run({x_})).toTensor()));
}

TEST_F(AddLoggersTest, InPlaceSuccessorDoesNotOverwriteTheLog) {
  Instrumented models(kInPlace);
  models.Run({x_});
  EXPECT_TRUE(models.Logged("sigmoid")[0].equal(x_.sigmoid()));
  EXPECT_TRUE(models.Logged("neg")[0].equal(-x_.sigmoid()));
  EXPECT_TRUE(models.Logged("relu")[0].equal(at::zeros({6})));
}

TEST_F(AddLoggersTest, LogsOneTensorACall) {
  Instrumented models(kInPlace);
  models.Run({x_});
  models.Run({x_ * 2});
  ASSERT_THAT(models.Logged("sigmoid"), SizeIs(2));
  EXPECT_TRUE(models.Logged("sigmoid")[1].equal((x_ * 2).sigmoid()));
}

TEST_F(AddLoggersTest, MatchesStayValid) {
  Instrumented models(kInPlace);
  EXPECT_EQ(models.matches.matches[0].a.subgraph.base,
            NodeOf(models.a.graph(), "aten::sigmoid"));
}

TEST_F(AddLoggersTest, LogsInsideTheArmThatRuns) {
  Instrumented models(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      %c : Tensor = aten::neg(%a)
      -> (%c)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  return (%y))IR");
  NS_ASSERT_OK(models.status);
  EXPECT_TRUE(models.Run({x_, false}).equal(x_.tanh()));
  EXPECT_THAT(models.Logged("sigmoid"), SizeIs(0));
  ASSERT_THAT(models.Logged("tanh"), SizeIs(1));
  EXPECT_TRUE(models.Logged("tanh")[0].equal(x_.tanh()));
}

TEST_F(AddLoggersTest, LogsEveryTripOfALoop) {
  Instrumented models(R"IR(
graph(%x : Tensor, %n : int, %go : bool):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      -> (%go, %a)
  return (%y))IR");
  NS_ASSERT_OK(models.status);
  models.Run({x_, int64_t{3}, true});
  const auto logged = models.Logged("sigmoid");
  ASSERT_THAT(logged, SizeIs(3));
  EXPECT_TRUE(logged[0].equal(x_.sigmoid()));
  EXPECT_TRUE(logged[2].equal(x_.sigmoid().sigmoid().sigmoid()));
}

TEST_F(AddLoggersTest, LogsAllOutputsWithTheirNames) {
  Instrumented models(R"IR(
graph(%x : Tensor):
  %yes : bool = prim::Constant[value=1]()
  %u : Tensor, %s : Tensor, %v : Tensor = aten::svd(%x, %yes, %yes)
  %n : Tensor = aten::neg_(%s)
  return (%n))IR");
  NS_ASSERT_OK(models.status);
  const at::Tensor x = x_.reshape({2, 3});
  models.Run({x});
  models.Run({x * 2});
  const Results results = models.Extract();
  const ResultsByModel& of_svd = results.Find("svd")->at(kNodeOutputResult);
  const auto [u, s, v] = at::svd(x);
  const std::vector<at::Tensor> expected = {u, s, v};
  const std::vector<std::string> names = {"U", "S", "V"};
  for (const char* model : {"float", "int8"}) {
    const std::vector<SingleResult>& records = of_svd.at(model);
    ASSERT_THAT(records, SizeIs(3));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(records[i].info.output_index, i);
      EXPECT_EQ(records[i].info.output_name, names[i]);
      EXPECT_EQ(records[i].info.ref_node_target_type, "aten::svd");
      ASSERT_THAT(records[i].values, SizeIs(2));
      EXPECT_TRUE(records[i].values[0].equal(expected[i])) << names[i];
    }
    EXPECT_TRUE(records[1].values[1].allclose(s * 2));
  }
  EXPECT_EQ(results.Find("neg")
                ->at(kNodeOutputResult)
                .at("float")
                .at(0)
                .info.output_name,
            "");
}

TEST_F(AddLoggersTest, LogsInputsWithTheirPlaces) {
  LoggerOptions options;
  options.should_log_inputs = true;
  Instrumented models(R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %c : Tensor = aten::cat(%list, %dim)
  %m : Tensor = aten::matmul(%c, %z)
  return (%m))IR",
                      options);
  NS_ASSERT_OK(models.status);
  const at::Tensor y = at::ones({6});
  const at::Tensor z = at::ones({12});
  models.Run({x_, y, z});
  const Results results = models.Extract();
  const auto& cat = results.Find("cat")->at(kNodeInputResult).at("float");
  ASSERT_THAT(cat, SizeIs(2));
  EXPECT_EQ(cat[0].info.index_of_arg, 0);
  EXPECT_EQ(cat[0].info.index_within_arg, 0);
  EXPECT_TRUE(cat[0].values[0].equal(x_));
  EXPECT_EQ(cat[1].info.index_within_arg, 1);
  EXPECT_TRUE(cat[1].values[0].equal(y));
  const auto& matmul = results.Find("matmul")->at(kNodeInputResult).at("float");
  ASSERT_THAT(matmul, SizeIs(2));
  EXPECT_EQ(matmul[1].info.index_of_arg, 1);
  EXPECT_EQ(matmul[1].info.index_within_arg, 0);
  EXPECT_TRUE(matmul[1].values[0].equal(z));
}

torch::jit::Module ScriptedLogger(const std::string& source) {
  return MakeModule("MyLogger", source,
                    {{"stats", c10::IValue(c10::List<at::Tensor>())}});
}

LoggerOptions Scripted(const std::string& source) {
  LoggerOptions options;
  options.logger = [source](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(ScriptedLogger(source)._ivalue());
  };
  return options;
}

constexpr char kSquare[] = R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::mul(%x, %x)
  return (%y))IR";

TEST_F(AddLoggersTest, BothArgumentsOfASquareAreTheInputUnlessCompatIsAsked) {
  LoggerOptions options = Scripted(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    self.stats.append(x)\n"
      "    return torch.add(x, 1)\n");
  options.should_log_inputs = true;
  for (const bool compat : {false, true}) {
    options.compat = compat;
    Instrumented models(kSquare, options);
    NS_ASSERT_OK(models.status);
    EXPECT_TRUE(models.Run({x_}).equal(x_ * x_));
    const auto inputs =
        models.Extract().Find("mul")->at(kNodeInputResult).at("float");
    ASSERT_THAT(inputs, SizeIs(2));
    EXPECT_EQ(inputs[0].info.prev_node_name, "x");
    EXPECT_EQ(inputs[1].info.prev_node_name, compat ? "ns_logger_0" : "x");
    EXPECT_TRUE(inputs[1].values.at(0).equal(compat ? x_ + 1 : x_));
  }
}

TEST_F(AddLoggersTest, InputOfInPlaceOpIsLoggedBeforeItRuns) {
  LoggerOptions options;
  options.should_log_inputs = true;
  Instrumented models(kInPlace, options);
  models.Run({x_});
  const Results results = models.Extract();
  EXPECT_TRUE(results.Find("relu")
                  ->at(kNodeInputResult)
                  .at("float")
                  .at(0)
                  .values.at(0)
                  .equal(-x_.sigmoid()));
}

TEST_F(AddLoggersTest, TakesScriptedLogger) {
  Instrumented models(kInPlace,
                      Scripted("def forward(self, x: Tensor) -> Tensor:\n"
                               "    self.stats.append(torch.mul(x, 2))\n"
                               "    return x\n"));
  NS_ASSERT_OK(models.status);
  models.Run({x_});
  EXPECT_TRUE(models.Logged("sigmoid").at(0).equal(x_.sigmoid() * 2));
}

TEST_F(AddLoggersTest, TakesScriptedLoggerWithoutResult) {
  Instrumented models(kInPlace,
                      Scripted("def forward(self, x: Tensor) -> None:\n"
                               "    self.stats.append(torch.clone(x))\n"));
  NS_ASSERT_OK(models.status);
  models.Run({x_});
  EXPECT_TRUE(models.Logged("sigmoid").at(0).equal(x_.sigmoid()));
}

TEST_F(AddLoggersTest, RefusesLoggerWhoseForwardDoesNotTakeOneTensor) {
  for (const char* source :
       {"def forward(self, x: Tensor, y: Tensor) -> Tensor:\n    return x\n",
        "def forward(self, x: int) -> int:\n    return x\n",
        "def forward(self) -> None:\n    pass\n"}) {
    const std::string message(
        Instrumented(kInPlace, Scripted(source)).status.message());
    EXPECT_THAT(message, HasSubstr("must take one Tensor")) << source;
    EXPECT_THAT(message, Not(HasSubstr("\n")));
  }
}

TEST_F(AddLoggersTest, RefusesLoggerWithoutForward) {
  EXPECT_THAT(
      std::string(Instrumented(kInPlace,
                               Scripted("def log(self, x: Tensor) -> Tensor:\n"
                                        "    return x\n"))
                      .status.message()),
      HasSubstr("has no method 'forward'"));
}

TEST_F(AddLoggersTest, RefusesLoggerThatIsNoObject) {
  LoggerOptions options;
  options.logger = [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(3);
  };
  EXPECT_THAT(std::string(Instrumented(kInPlace, options).status.message()),
              HasSubstr("a logger must be an object"));
}

TEST_F(AddLoggersTest, ReturnsTheErrorOfTheFactory) {
  LoggerOptions options;
  options.logger = [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return absl::ResourceExhaustedError("no more loggers");
  };
  EXPECT_EQ(Instrumented(kInPlace, options).status,
            absl::ResourceExhaustedError("no more loggers"));
}

TEST_F(AddLoggersTest, ReadsLogsOfSavedModel) {
  Instrumented models(kInPlace);
  models.Run({x_});
  const std::string path = TemporaryPath("instrumented.pt");
  NS_ASSERT_OK(models.a.Save(path));
  auto loaded = OrThrow(LoadModule(path));
  loaded.get_method("forward")({x_});
  const Results results = OrThrow(ExtractLoggerInfo({loaded}));
  const auto& values =
      results.Find("sigmoid")->at(kNodeOutputResult).at("float").at(0).values;
  ASSERT_THAT(values, SizeIs(2));
  EXPECT_TRUE(values[0].equal(x_.sigmoid()));
  EXPECT_TRUE(values[1].equal(x_.sigmoid()));
}

TEST_F(AddLoggersTest, DescribesWhatItLogs) {
  Instrumented models(kInPlace);
  const auto loggers = AttachedLoggers(models.b.module());
  ASSERT_THAT(loggers, SizeIs(3));
  EXPECT_EQ(loggers[0].info.layer, "sigmoid");
  EXPECT_EQ(loggers[0].info.model_name, "int8");
  EXPECT_EQ(loggers[0].info.ref_node_target_type, "aten::sigmoid");
  EXPECT_EQ(loggers[0].info.prev_node_target_type, "aten::sigmoid");
  EXPECT_EQ(loggers[0].info.type, kNodeOutputResult);
}

// As often as the other model quantizes it.
TEST_F(AddLoggersTest, LogsValuesFromOutsideInTheBlockThatQuantizes) {
  constexpr char kChoice[] = R"IR(
graph(%x : Tensor, %p : bool, %s : float, %z : int, %t : int):
  %a : Tensor = aten::sin(%x)
  %y : Tensor = prim::If(%p)
    block0():
      QUANTIZE
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      -> (%a)
  return (%y))IR";
  constexpr char kQuantize[] =
      "%q : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)";
  ModelGraph a = ModelOf(absl::StrReplaceAll(kChoice, {{"QUANTIZE", ""}}));
  ModelGraph b =
      ModelOf(absl::StrReplaceAll(kChoice, {{"QUANTIZE", kQuantize}}));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  ASSERT_TRUE(AddLoggers("float", a, "int8", b, matches).ok());
  for (const bool quantizes : {true, false, true}) {
    for (ModelGraph* model : {&a, &b}) {
      OrThrow(model->Run({at::ones({2}), quantizes, 0.1, 3, 13}));
    }
  }
  const Results results = OrThrow(ExtractLoggerInfo({a.module(), b.module()}));
  const auto& point = results.Find("sin.quantize")->at(kNodeOutputResult);
  EXPECT_THAT(point.at("float").at(0).values, SizeIs(2));
  EXPECT_THAT(point.at("int8").at(0).values, SizeIs(2));
}

}  // namespace
}  // namespace ns

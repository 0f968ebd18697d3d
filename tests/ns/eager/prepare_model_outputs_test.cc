#include "ns/eager/prepare_model_outputs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/logger_dict.h"
#include "ns/eager/matching_activations.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

std::vector<std::string> Keys(const LoggerDict& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, stats] : dict) {
    keys.push_back(key);
  }
  return keys;
}

Module Passing(const std::string& type) {
  return MakeModule(type,
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return x\n");
}

class PrepareModelOutputsTest : public EngineTest {
 protected:
  const at::Tensor weight_ = at::eye(3);
  const at::Tensor x_ = at::rand({2, 3});
  const std::vector<std::string> body_ = {
      "x = self.quant.forward(x)", "x = self.fc.forward(x)",
      "x = self.fc.forward(x)", "return self.dequant.forward(x)"};
  const Module float_ = MakeModel(
      {{"quant", Passing("torch.ao.quantization.stubs.QuantStub")},
       {"fc", Linear(weight_)},
       {"dequant", Passing("torch.ao.quantization.stubs.DeQuantStub")}},
      body_);
  const Module quantized_ = MakeModel({{"quant", Quantize()},
                                       {"fc", QuantizedLinear(weight_, false)},
                                       {"dequant", DeQuantize()}},
                                      body_);

  // Keys of both models' loggers.
  void ExpectKeys(const OutputOptions& options,
                  const std::vector<std::string>& keys) {
    const PreparedModels models =
        OrThrow(PrepareModelOutputs(float_, quantized_, options));
    for (const ModelGraph* model :
         {&models.float_model, &models.quantized_model}) {
      EXPECT_EQ(Keys(OrThrow(GetLoggerDict(model->module()))), keys);
    }
  }
};

TEST_P(PrepareModelOutputsTest, LogsListedModulesOfBothModels) {
  ExpectKeys({}, {"quant.stats", "fc.stats"});
}

TEST_P(PrepareModelOutputsTest, TypeOfEitherModelListsModuleOfBoth) {
  ExpectKeys({OutputLoggerFactory(), {{"torch.nn.modules.linear.Linear"}}},
             {"fc.stats"});
  ExpectKeys({OutputLoggerFactory(), {{"Quantize"}}}, {"quant.stats"});
}

TEST_P(PrepareModelOutputsTest, EmptyAllowListLogsNothing) {
  ExpectKeys({OutputLoggerFactory(), std::vector<std::string>()}, {});
}

TEST_P(PrepareModelOutputsTest, AllowListThatNamesNoModuleIsAnError) {
  OutputOptions options;
  options.allow_list = {{"Conv2d", "my.Block"}};
  EXPECT_THAT(
      MessageOf(PrepareModelOutputs(float_, quantized_, options)),
      AllOf(HasSubstr("the allow list (Conv2d, my.Block) names no module of "
                      "either model; their types are "),
            HasSubstr("torch.nn.modules.linear.Linear")));
}

TEST_P(PrepareModelOutputsTest, ModelsComputeWhatTheyDid) {
  PreparedModels models = OrThrow(PrepareModelOutputs(float_, quantized_));
  for (const auto& [prepared, module] :
       {std::make_pair(&models.float_model, &float_),
        std::make_pair(&models.quantized_model, &quantized_)}) {
    ModelGraph plain = OrThrow(ModelGraph::FromModule(*module));
    EXPECT_TRUE(OrThrow(prepared->Run({x_}))
                    .toTensor()
                    .equal(OrThrow(plain.Run({x_})).toTensor()));
  }
}

TEST_P(PrepareModelOutputsTest, ModuleCalledTwiceLogsBothCalls) {
  PreparedModels models = OrThrow(PrepareModelOutputs(float_, quantized_));
  OrThrow(models.float_model.Run({x_}));
  OrThrow(models.quantized_model.Run({x_}));
  const LoggerDict matching = OrThrow(GetMatchingActivations(
      models.float_model.module(), models.quantized_model.module()));
  EXPECT_THAT(Keys(matching), ElementsAre("quant.stats", "fc.stats"));
  const LoggerStats& fc = *FindStats(matching, "fc.stats");
  EXPECT_THAT(fc.at("float"), SizeIs(2));
  EXPECT_THAT(fc.at("quantized"), SizeIs(2));
  EXPECT_TRUE(at::allclose(fc.at("float")[1], x_));
}

TEST_P(PrepareModelOutputsTest, ModulesThatHaveNotRunDoNotMatch) {
  const PreparedModels models =
      OrThrow(PrepareModelOutputs(float_, quantized_));
  EXPECT_THAT(OrThrow(GetMatchingActivations(models.float_model.module(),
                                             models.quantized_model.module())),
              IsEmpty());
}

TEST_P(PrepareModelOutputsTest, LoggerWithWrongSignatureIsAnError) {
  OutputOptions options;
  options.logger = [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(MakeModule("Pair",
                                  "def forward(self, x: Tensor, y: Tensor):\n"
                                  "    return x\n")
                           ._ivalue());
  };
  EXPECT_THAT(
      std::string(
          PrepareModelOutputs(float_, quantized_, options).status().message()),
      AllOf(HasSubstr("logger Pair"), HasSubstr("must take one Tensor")));
}

TEST_P(PrepareModelOutputsTest, ErrorOfFactoryIsHandedOn) {
  OutputOptions options;
  options.logger = [](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    return absl::InvalidArgumentError("no logger for " + info.fqn);
  };
  EXPECT_EQ(PrepareModelOutputs(float_, quantized_, options).status().message(),
            "no logger for quant");
}

// A module with a forward and two helpers.
Module Encoder() {
  return MakeModule("Enc",
                    "def out_len(self, n: int) -> int:\n"
                    "    return n * 2\n"
                    "def mask(self, x: Tensor) -> Tensor:\n"
                    "    return x > 0\n"
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return x + 1\n");
}

// What the module `enc` of a model with `body` logs in a run with `x`.
std::vector<at::Tensor> LoggedOf(const std::vector<std::string>& body,
                                 const at::Tensor& x) {
  const Module model = MakeModel({{"enc", Encoder()}}, body);
  PreparedModels models = OrThrow(
      PrepareModelOutputs(model, model, {OutputLoggerFactory(), {{"Enc"}}}));
  OrThrow(models.float_model.Run({x}));
  const LoggerDict dict = OrThrow(GetLoggerDict(models.float_model.module()));
  return FindStats(dict, "enc.stats")->at("tensor_val");
}

TEST_P(PrepareModelOutputsTest, HelpersOfAModuleAreNotItsOutput) {
  const std::vector<at::Tensor> logged =
      LoggedOf({"n = self.enc.out_len(2)", "m = self.enc.mask(x)",
                "return self.enc.forward(x) * m * n"},
               x_);
  ASSERT_THAT(logged, SizeIs(1));
  EXPECT_TRUE(logged[0].equal(x_ + 1));
}

TEST_P(PrepareModelOutputsTest, LogsOtherMethodsWhereForwardIsNotCalled) {
  const std::vector<at::Tensor> logged =
      LoggedOf({"return self.enc.mask(x)"}, x_);
  ASSERT_THAT(logged, SizeIs(1));
  EXPECT_TRUE(logged[0].equal(x_ > 0));
}

// Resolves `twice`, a function of its own, and what PyTorch has.
class TwiceResolver final : public torch::jit::Resolver {
 public:
  TwiceResolver() {
    functions_.define(c10::nullopt,
                      "def twice(n: int) -> int:\n    return n * 2\n",
                      torch::jit::nativeResolver(), nullptr);
  }

  std::shared_ptr<torch::jit::SugaredValue> resolveValue(
      const std::string& name, torch::jit::GraphFunction& method,
      const torch::jit::SourceRange& range) override {
    if (name == "twice") {
      return std::make_shared<torch::jit::FunctionValue>(
          &functions_.get_function(name));
    }
    return torch::jit::nativeResolver()->resolveValue(name, method, range);
  }

 private:
  torch::jit::CompilationUnit functions_;
};

// A function that it calls is not logged in its place, either.
TEST_P(PrepareModelOutputsTest, TheModelItselfIsNotLogged) {
  const auto resolver = std::make_shared<TwiceResolver>();
  Module net("__torch__.Net");
  net.register_module("fc", Linear(weight_));
  net.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return self.fc.forward(x) * twice(2)\n",
      resolver);
  const PreparedModels models = OrThrow(PrepareModelOutputs(
      net, net, {OutputLoggerFactory(), {{"Net", "Linear"}}}));
  EXPECT_THAT(Keys(OrThrow(GetLoggerDict(models.float_model.module()))),
              ElementsAre("fc.stats"));
}

NS_INSTANTIATE_ON_ENGINES(PrepareModelOutputsTest);

}  // namespace
}  // namespace ns

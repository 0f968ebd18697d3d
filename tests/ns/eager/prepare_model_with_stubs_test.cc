#include "ns/eager/prepare_model_with_stubs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/logger_dict.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::torch::jit::Module;

std::vector<std::string> Keys(const LoggerDict& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, stats] : dict) {
    keys.push_back(key);
  }
  return keys;
}

class PrepareModelWithStubsTest : public EngineTest {
 protected:
  const at::Tensor weight_ = at::rand({3, 3}) - 0.5;
  const at::Tensor x_ = at::rand({2, 3});

  // A float and a quantized model with the same body, whose module `fc` is a
  // linear.
  Module FloatModel(const std::vector<std::string>& body) {
    return MakeModel({{"fc", Linear(weight_)},
                      {"quant", MakeModule("torch.quantization.stubs.QuantStub",
                                           "def forward(self, x: Tensor):\n"
                                           "    return x\n")}},
                     body);
  }
  Module QuantizedModel(const std::vector<std::string>& body) {
    return MakeModel(
        {{"fc", QuantizedLinear(weight_, false)}, {"quant", Quantize()}}, body);
  }

  // Runs the model of `body` with its linear shadowed.
  LoggerDict Run(const std::vector<std::string>& body,
                 const StubOptions& options = {}) {
    ModelGraph model = OrThrow(PrepareModelWithStubs(
        FloatModel(body), QuantizedModel(body), {"Linear"}, options));
    ModelGraph plain = OrThrow(ModelGraph::FromModule(QuantizedModel(body)));
    const at::Tensor output = OrThrow(model.Run({x_})).toTensor();
    EXPECT_TRUE(output.equal(OrThrow(plain.Run({x_})).toTensor()));
    return OrThrow(GetLoggerDict(model.module()));
  }
};

std::vector<std::string> Body() {
  return {"return self.fc.forward(self.quant.forward(x))"};
}

TEST_P(PrepareModelWithStubsTest, FloatModuleSeesDequantizedInput) {
  const LoggerDict dict = Run(Body());
  EXPECT_THAT(Keys(dict), ElementsAre("fc.stats"));
  const LoggerStats& stats = dict[0].second;
  const at::Tensor input =
      at::quantize_per_tensor(x_, 0.05, 64, at::kQUInt8).dequantize();
  EXPECT_TRUE(at::allclose(stats.at("float")[0], at::linear(input, weight_)));
  EXPECT_TRUE(stats.at("quantized")[0].is_quantized());
}

TEST_P(PrepareModelWithStubsTest, ModuleCalledTwiceHasOneLoggerForBothCalls) {
  const LoggerDict dict = Run({"x = self.fc.forward(self.quant.forward(x))",
                               "return self.fc.forward(x)"});
  EXPECT_THAT(Keys(dict), ElementsAre("fc.stats"));
  EXPECT_THAT(dict[0].second.at("float"), SizeIs(2));
  EXPECT_THAT(dict[0].second.at("quantized"), SizeIs(2));
}

TEST_P(PrepareModelWithStubsTest, EntersLoopsAndBranches) {
  const LoggerDict dict =
      Run({"x = self.quant.forward(x)", "for i in range(3):", "    if i > 0:",
           "        x = self.fc.forward(x)", "return x"});
  EXPECT_THAT(dict[0].second.at("float"), SizeIs(2));
}

TEST_P(PrepareModelWithStubsTest, KeepsWholeBatch) {
  EXPECT_EQ(Run(Body())[0].second.at("float")[0].sizes(), x_.sizes());
}

TEST_P(PrepareModelWithStubsTest, CompatKeepsFirstSampleOnly) {
  const LoggerDict dict = Run(Body(), {/*logger=*/nullptr, /*compat=*/true});
  const LoggerDict whole = Run(Body());
  for (const char* side : {"float", "quantized"}) {
    EXPECT_TRUE(
        dict[0].second.at(side)[0].equal(whole[0].second.at(side)[0][0]));
  }
}

TEST_P(PrepareModelWithStubsTest, ModuleThatIsNeverCalledHasNoLogger) {
  EXPECT_THAT(Run({"return self.quant.forward(x)"}), IsEmpty());
}

TEST_P(PrepareModelWithStubsTest, ModuleThatStayedFloatIsNotShadowed) {
  const std::vector<std::string> body = {"return self.fc.forward(x)"};
  const ModelGraph model = OrThrow(
      PrepareModelWithStubs(FloatModel(body), FloatModel(body), {"Linear"}));
  EXPECT_THAT(OrThrow(GetLoggerDict(model.module())), IsEmpty());
}

TEST_P(PrepareModelWithStubsTest, ModuleInsideShadowedOneIsNotShadowed) {
  const std::string source =
      "def forward(self, x: Tensor):\n"
      "    return self.fc.forward(x)\n";
  const Module float_block =
      MakeModule("my.Block", source, {}, {{"fc", Linear(weight_)}});
  const Module quantized_block = MakeModule(
      "my.Block", source, {}, {{"fc", QuantizedLinear(weight_, false)}});
  const std::vector<std::string> body = {
      "return self.block.forward(torch.quantize_per_tensor(x, 0.05, 64, 13))"};
  const auto keys = [&](const std::vector<std::string>& swap_list) {
    const ModelGraph model = OrThrow(PrepareModelWithStubs(
        MakeModel({{"block", float_block}}, body),
        MakeModel({{"block", quantized_block}}, body), swap_list));
    return Keys(OrThrow(GetLoggerDict(model.module())));
  };
  EXPECT_THAT(keys({"my.Block", "Linear"}), ElementsAre("block.stats"));
  EXPECT_THAT(keys({"Linear"}), ElementsAre("block.fc.stats"));
}

TEST_P(PrepareModelWithStubsTest, HelpersOfAModuleAreNotShadowed) {
  const std::string source =
      "def out_len(self, n: int) -> int:\n"
      "    return n * 2\n"
      "def mask(self, x: Tensor) -> Tensor:\n"
      "    return x > 0\n"
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return self.fc.forward(x)\n";
  const Module float_enc =
      MakeModule("Enc", source, {}, {{"fc", Linear(weight_)}});
  const Module quantized_enc =
      MakeModule("Enc", source, {}, {{"fc", QuantizedLinear(weight_, false)}});
  const std::vector<std::string> body = {
      "n = self.enc.out_len(2)", "m = self.enc.mask(x)",
      "q = torch.quantize_per_tensor(x, 0.05, 64, 13)",
      "return self.enc.forward(q).dequantize() * m * n"};
  ModelGraph model = OrThrow(PrepareModelWithStubs(
      MakeModel({{"enc", float_enc}}, body),
      MakeModel({{"enc", quantized_enc}}, body), {"Enc"}));
  OrThrow(model.Run({x_}));
  const LoggerDict dict = OrThrow(GetLoggerDict(model.module()));
  ASSERT_THAT(Keys(dict), ElementsAre("enc.stats"));
  ASSERT_THAT(dict[0].second.at("quantized"), SizeIs(1));
  EXPECT_TRUE(dict[0].second.at("quantized")[0].is_quantized());
  EXPECT_THAT(dict[0].second.at("float"), SizeIs(1));
}

// State in tuples, in and out, as an LSTM has it; and the quantized module
// works in place on what it gets.
TEST_P(PrepareModelWithStubsTest, NestedStateIsCopiedBeforeEitherModuleRuns) {
  const std::string signature =
      "def forward(self, x: Tensor, state: Optional[Tuple[Tensor, "
      "List[Tensor]]]=None):\n"
      "    assert state is not None\n";
  const Module float_cell =
      MakeModule("Cell", signature +
                             "    y = x + state[0] + state[1][0]\n"
                             "    return y, state\n");
  const Module quantized_cell =
      MakeModule("QuantizedCell", signature +
                                      "    state[0].add_(100)\n"
                                      "    x.add_(100)\n"
                                      "    return x + state[0], state\n");
  const std::vector<std::string> body = {
      "q = torch.quantize_per_tensor(x, 0.5, 0, 13)",
      "y, _ = self.cell.forward(x * 1, (x * 2, [q]))", "return y"};
  ModelGraph model = OrThrow(PrepareModelWithStubs(
      MakeModel({{"cell", float_cell}}, body),
      MakeModel({{"cell", quantized_cell}}, body), {"Cell"}));
  const at::Tensor y = OrThrow(model.Run({x_})).toTensor();
  EXPECT_TRUE(at::allclose(y, x_ * 3 + 200));
  const LoggerDict dict = OrThrow(GetLoggerDict(model.module()));
  const at::Tensor q =
      at::quantize_per_tensor(x_, 0.5, 0, at::kQUInt8).dequantize();
  EXPECT_TRUE(at::allclose(dict[0].second.at("float")[0], x_ * 3 + q));
  EXPECT_TRUE(at::allclose(dict[0].second.at("quantized")[0], y));
}

TEST_P(PrepareModelWithStubsTest, TakesLoggersWrittenInTorchScript) {
  StubOptions options;
  options.logger = [](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    EXPECT_EQ(info.layer, "fc");
    return c10::IValue(
        MakeModule("ErrorLogger",
                   "def forward(self, y: Tensor, x: Tensor) -> None:\n"
                   "    self.stats.append((y.dequantize() - x).abs().max())\n",
                   {{"stats", c10::List<at::Tensor>()}})
            ._ivalue());
  };
  const LoggerDict dict = Run(Body(), options);
  ASSERT_THAT(dict[0].second.at("tensor_val"), SizeIs(1));
  EXPECT_LT(dict[0].second.at("tensor_val")[0].item<double>(), 0.1);
}

TEST_P(PrepareModelWithStubsTest, SavedModelRunsAndKeepsItsStats) {
  ModelGraph model = OrThrow(PrepareModelWithStubs(
      FloatModel(Body()), QuantizedModel(Body()), {"Linear"}));
  const at::Tensor output = OrThrow(model.Run({x_})).toTensor();
  std::stringstream file;
  model.module().save(file);
  Module loaded = torch::jit::load(file);
  EXPECT_TRUE(loaded.forward({x_}).toTensor().equal(output));
  const LoggerDict dict = OrThrow(GetLoggerDict(loaded, "model"));
  EXPECT_THAT(Keys(dict), ElementsAre("model.fc.stats"));
  ASSERT_THAT(dict[0].second.at("float"), SizeIs(2));
  EXPECT_TRUE(
      dict[0].second.at("float")[0].equal(dict[0].second.at("float")[1]));
}

TEST_P(PrepareModelWithStubsTest, LeavesBothSourcesAsTheyWere) {
  const Module of_float = FloatModel(Body());
  const Module quantized = QuantizedModel(Body());
  const std::string before = quantized.dump_to_str(true, false, false);
  OrThrow(PrepareModelWithStubs(of_float, quantized, {"Linear"}));
  EXPECT_EQ(quantized.dump_to_str(true, false, false), before);
  EXPECT_FALSE(quantized.hasattr("ns_shadow_0"));
}

TEST_P(PrepareModelWithStubsTest, SwapListThatNamesNoModuleIsAnError) {
  EXPECT_EQ(
      MessageOf(PrepareModelWithStubs(
          FloatModel(Body()), QuantizedModel(Body()), {"LSTM", "Conv2d"})),
      "the swap list (LSTM, Conv2d) names no module of the float model; "
      "its types are torch.nn.modules.linear.Linear, "
      "torch.quantization.stubs.QuantStub");
}

TEST_P(PrepareModelWithStubsTest, LoggerWithWrongSignatureIsAnError) {
  const auto message = [&](const c10::IValue& logger) {
    StubOptions options;
    options.logger = [&](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
      return logger;
    };
    std::string text = MessageOf(PrepareModelWithStubs(
        FloatModel(Body()), QuantizedModel(Body()), {"Linear"}, options));
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    return text;
  };
  EXPECT_THAT(message(MakeModule("OneTensor",
                                 "def forward(self, x: Tensor):\n"
                                 "    return x\n")
                          ._ivalue()),
              AllOf(HasSubstr("OneTensor"), HasSubstr("two Tensors")));
  EXPECT_THAT(message(MakeModule("Numbers",
                                 "def forward(self, x: int, y: int):\n"
                                 "    return x\n")
                          ._ivalue()),
              AllOf(HasSubstr("Numbers"), HasSubstr("two Tensors")));
  EXPECT_THAT(message(MakeModule("NoForward", "")._ivalue()),
              HasSubstr("NoForward has no method 'forward'"));
  EXPECT_THAT(message(c10::IValue(3)), HasSubstr("must be an object"));
}

TEST_P(PrepareModelWithStubsTest, ArgumentsThatFloatModuleLacksAreAnError) {
  const Module float_block = MakeModule("my.Block",
                                        "def forward(self, x: int):\n"
                                        "    return x\n");
  const std::vector<std::string> body = {"return self.block.forward(x)"};
  const std::string message = MessageOf(
      PrepareModelWithStubs(MakeModel({{"block", float_block}}, {"return x"}),
                            MakeModel({{"block", Relu()}}, body), {"Block"}));
  EXPECT_THAT(message,
              AllOf(HasSubstr("'block'"), HasSubstr("my.Block"),
                    HasSubstr("off the swap list"), Not(HasSubstr("\n"))));
}

NS_INSTANTIATE_ON_ENGINES(PrepareModelWithStubsTest);

}  // namespace
}  // namespace ns

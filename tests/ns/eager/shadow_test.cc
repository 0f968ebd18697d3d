#include "ns/eager/shadow.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/module_path.h"
#include "ns/eager/module_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

class ShadowTest : public testing::Test {
 protected:
  LoggerFactory Factory() const {
    return [this](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
      return c10::IValue(logger_);
    };
  }

  // A model whose call of `quantized`, "self.module.<call>", is followed by its
  // shadow, `of_float`.
  absl::StatusOr<ModelGraph> Shadowed(const Module& quantized,
                                      const Module& of_float,
                                      const std::string& call) const {
    ModelGraph model = OrThrow(ModelGraph::FromModule(
        MakeModel({{"module", quantized}}, {"return self.module." + call}),
        {"forward", [](const ModulePath&) { return true; }}));
    torch::jit::Node* node = LeafCalls(model.graph()).at(0);
    ModuleLogger logger = OrThrow(ModuleLogger::Attach(
        model, Factory(), ModuleLoggerInfo(ModulePathOf(*node), "quantized"),
        /*arity=*/2));
    const Shadow shadow =
        OrThrow(Shadow::Attach(model, of_float, std::move(logger)));
    const absl::Status status = shadow.Follow(node);
    if (!status.ok()) {
      return status;
    }
    return model;
  }

  // What the float module of a shadowed call returns.
  at::Tensor FloatOutput(const std::string& quantized_source,
                         const std::string& float_source,
                         const std::string& call) const {
    ModelGraph model =
        OrThrow(Shadowed(MakeModule("Quantized", quantized_source),
                         MakeModule("Float", float_source), call));
    OrThrow(model.Run({x_}));
    return logger_->float_values().at(0);
  }

  const at::Tensor x_ = at::ones({2});
  const c10::intrusive_ptr<ShadowLogger> logger_ =
      c10::make_intrusive<ShadowLogger>();
};

TEST_F(ShadowTest, RunsBehindTheCallOnCopiesMadeBeforeIt) {
  const ModelGraph model = OrThrow(Shadowed(Relu(), Relu(), "forward(x)"));
  std::vector<std::string> nodes;
  for (const torch::jit::Node* node : model.graph().nodes()) {
    const std::string kind = node->kind().toUnqualString();
    nodes.push_back(node->hasAttribute(c10::attr::name)
                        ? kind + " " + node->s(c10::attr::name)
                        : kind);
  }
  EXPECT_THAT(nodes,
              ElementsAre("GetAttr module", "float_copy", "CallMethod forward",
                          "GetAttr ns_shadow_0", "CallMethod forward",
                          "GetAttr ns_logger_0", "CallMethod forward"));
}

TEST_F(ShadowTest, EveryFloatModuleHasItsOwnAttribute) {
  ModelGraph model = OrThrow(Shadowed(Relu(), Relu(), "forward(x)"));
  OrThrow(Shadow::Attach(
      model, Relu(),
      OrThrow(ModuleLogger::Attach(model, Factory(), {}, /*arity=*/2))));
  EXPECT_TRUE(model.module().hasattr("ns_shadow_1"));
}

TEST_F(ShadowTest, CallsTheMethodOfTheSameName) {
  const at::Tensor y = FloatOutput(
      "def add(self, x: Tensor, y: Tensor):\n"
      "    return torch.add(x, y)\n",
      "def mul(self, x: Tensor, y: Tensor):\n"
      "    return torch.mul(x, y)\n"
      "def add(self, x: Tensor, y: Tensor):\n"
      "    return torch.add(x, y)\n",
      "add(x, x)");
  EXPECT_TRUE(y.equal(at::full({2}, 2.0f)));
}

TEST_F(ShadowTest, CallsTheVariantOfForwardThatTakesTheArguments) {
  const at::Tensor y = FloatOutput(
      "def forward_tensor(self, x: Tensor):\n"
      "    return x\n",
      "def forward__0(self, x: List[Tensor]):\n"
      "    return x[0]\n"
      "def forward__1(self, x: Tensor):\n"
      "    return torch.neg(x)\n",
      "forward_tensor(x)");
  EXPECT_TRUE(y.equal(at::neg(x_)));
}

TEST_F(ShadowTest, DoesNotTakeAHelperForAVariantOfForward) {
  const Module quantized = MakeModule("Quantized",
                                      "def forward(self, x: Tensor, n: int):\n"
                                      "    return x\n");
  for (const char* helper : {"forward_features", "forward_", "forward__",
                             "forward__x", "forward_impl"}) {
    const Module of_float =
        MakeModule("Float", std::string("def forward(self, x: Tensor, y: "
                                        "Tensor):\n"
                                        "    return x\n"
                                        "def ") +
                                helper +
                                "(self, x: Tensor, n: int):\n"
                                "    return torch.neg(x)\n");
    EXPECT_THAT(MessageOf(Shadowed(quantized, of_float, "forward(x, 2)")),
                HasSubstr("no method of the float Float takes"))
        << helper;
  }
}

TEST_F(ShadowTest, FillsInDefaultsThatOnlyTheFloatModuleHas) {
  const at::Tensor y = FloatOutput(
      "def forward(self, x: Tensor):\n"
      "    return x\n",
      "def forward(self, x: Tensor, by: int=3, size: Optional[int]=None):\n"
      "    return x * by\n",
      "forward(x)");
  EXPECT_TRUE(y.equal(at::full({2}, 3.0f)));
}

TEST_F(ShadowTest, DropsNoneThatOnlyTheQuantizedModuleTakes) {
  const at::Tensor y = FloatOutput(
      "def forward(self, x: Tensor, mask: Optional[Tensor]=None):\n"
      "    return x\n",
      "def forward(self, x: Tensor):\n"
      "    return torch.neg(x)\n",
      "forward(x)");
  EXPECT_TRUE(y.equal(at::neg(x_)));
}

TEST_F(ShadowTest, RefusesArgumentThatFloatModuleLacks) {
  const Module quantized =
      MakeModule("Quantized",
                 "def forward(self, x: Tensor, mask: Tensor):\n"
                 "    return x\n");
  EXPECT_THAT(MessageOf(Shadowed(quantized, Relu(), "forward(x, x)")),
              HasSubstr("takes what 'forward' of Quantized does, (Tensor, "
                        "Tensor); take its type off the swap list"));
}

TEST_F(ShadowTest, RefusesOutputWithoutTensors) {
  const Module counter = MakeModule("Counter",
                                    "def forward(self, x: Tensor):\n"
                                    "    return x.dim()\n");
  EXPECT_THAT(
      MessageOf(Shadowed(counter, counter, "forward(x)")),
      HasSubstr("module 'module': a value of type int cannot be logged"));
}

TEST_F(ShadowTest, FloatModuleIsInEvaluationMode) {
  Module dropout =
      MakeModule("Dropout",
                 "def forward(self, x: Tensor):\n"
                 "    return torch.dropout(x, 1.0, self.training)\n");
  dropout.train();
  ModelGraph model = OrThrow(Shadowed(Relu(), dropout, "forward(x)"));
  OrThrow(model.Run({x_}));
  EXPECT_TRUE(logger_->float_values()[0].equal(x_));
  EXPECT_TRUE(dropout.is_training());
}

}  // namespace
}  // namespace ns

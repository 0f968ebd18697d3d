// PyTorch's cases of what fused layers compute while they are trained, see
// tests/README.md. Without rounding, it is what the layers compute that were
// fused, in double precision.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/optim/sgd.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/qat_switches.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

struct Form {
  const char* name;
  // The call of the layer, and the shapes of its weight and its input.
  const char* call;
  std::vector<int64_t> weight;
  std::vector<int64_t> input;
  bool has_bias = false;
  bool has_relu = false;
  double eps = 1e-5;
  double momentum = 0.1;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

class ReferenceQatNumericsTest : public ::testing::TestWithParam<Form> {
 protected:
  ReferenceQatNumericsTest() { at::manual_seed(1); }

  static bool IsLinear() { return GetParam().weight.size() == 2; }

  // A layer `0`, a norm `1`, and perhaps a ReLU `2`, in training.
  static Module Model() {
    const Form& form = GetParam();
    const int64_t channels = form.weight[0];
    const auto vector = [&] { return at::rand({channels}, at::kDouble) + 0.5; };
    Attributes parameters = {{"weight", at::randn(form.weight, at::kDouble)}};
    if (form.has_bias) {
      parameters.emplace_back("bias", vector());
    }
    const Module layer = MakeModule(
        absl::StrCat("torch.nn.modules.",
                     IsLinear() ? "linear.Linear" : "conv.Conv2d"),
        absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n    return ",
                     form.call, "\n"),
        parameters);
    const Module norm = MakeModule(
        absl::StrCat("torch.nn.modules.batchnorm.BatchNorm",
                     IsLinear() ? "1d" : "2d"),
        absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                     "    return torch.batch_norm(x, self.weight, self.bias, "
                     "self.running_mean, self.running_var, self.training, ",
                     form.momentum, ", ", form.eps, ", False)\n"),
        {{"weight", vector()},
         {"bias", vector()},
         {"running_mean", vector()},
         {"running_var", vector()}});
    Submodules parts = {{"layer", layer}, {"norm", norm}};
    std::string result = "self.norm.forward(self.layer.forward(x))";
    if (form.has_relu) {
      parts.emplace_back("relu", Relu());
      result = absl::StrCat("self.relu.forward(", result, ")");
    }
    Module model = MakeModel(parts, {absl::StrCat("return ", result)});
    model.train();
    return model;
  }

  // `model` fused and prepared, but not rounding.
  static Module Prepared(const Module& model) {
    FuseModulesOptions fuse;
    fuse.qat = true;
    std::vector<std::string> chain = {"layer", "norm"};
    if (GetParam().has_relu) {
      chain.push_back("relu");
    }
    Module prepared =
        OrThrow(PrepareQat(OrThrow(FuseModules(model, {chain}, fuse)),
                           {{"", DefaultQatQConfig()}}));
    DisableFakeQuant(prepared);
    return prepared;
  }

  // The tensors of the parts: those of the fused layer, by their names in the
  // model that is not fused.
  static std::map<std::string, at::Tensor> TensorsOf(const Module& model,
                                                     bool is_fused) {
    std::map<std::string, at::Tensor> tensors;
    const Module layer = model.attr("layer").toModule();
    const Module norm =
        is_fused ? layer.attr("bn").toModule() : model.attr("norm").toModule();
    tensors["layer.weight"] = layer.attr("weight").toTensor();
    if (GetParam().has_bias) {
      tensors["layer.bias"] = layer.attr("bias").toTensor();
    }
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
      tensors[absl::StrCat("norm.", name)] = norm.attr(name).toTensor();
    }
    return tensors;
  }

  // Trains both models alike, and expects the same of them in every step. The
  // statistics are frozen from the step `frozen` on.
  static void ExpectTrainAlike(int steps, int frozen) {
    Module plain = Model();
    Module fused = Prepared(plain);
    std::vector<at::Tensor> parameters[2];
    std::map<std::string, at::Tensor> tensors[2] = {TensorsOf(plain, false),
                                                    TensorsOf(fused, true)};
    for (int i : {0, 1}) {
      for (auto& [name, tensor] : tensors[i]) {
        if (name.find("running") == std::string::npos) {
          parameters[i].push_back(tensor.set_requires_grad(true));
        }
      }
    }
    torch::optim::SGD optimizers[2] = {torch::optim::SGD(parameters[0], 0.01),
                                       torch::optim::SGD(parameters[1], 0.01)};
    for (int step = 0; step < steps; ++step) {
      plain.train();
      fused.train();
      if (step >= frozen) {
        plain.attr("norm").toModule().eval();
        FreezeBnStats(fused);
      }
      const at::Tensor x = at::randn(GetParam().input, at::kDouble);
      at::Tensor inputs[2];
      at::Tensor outputs[2];
      for (int i : {0, 1}) {
        optimizers[i].zero_grad();
        inputs[i] = x.clone().set_requires_grad(true);
        outputs[i] = OutputOf(i == 0 ? plain : fused, inputs[i]);
        (outputs[i] * outputs[i]).sum().backward();
      }
      const auto expect_same = [&](const at::Tensor& a, const at::Tensor& b,
                                   const std::string& what) {
        EXPECT_TRUE(a.allclose(b, 1e-10, 1e-10)) << what << ", step " << step;
      };
      expect_same(outputs[0], outputs[1], "output");
      expect_same(inputs[0].grad(), inputs[1].grad(), "gradient of the input");
      for (size_t i = 0; i < parameters[0].size(); ++i) {
        expect_same(parameters[0][i].grad(), parameters[1][i].grad(),
                    absl::StrCat("gradient ", i));
      }
      for (int i : {0, 1}) {
        optimizers[i].step();
      }
      for (const auto& [name, tensor] : tensors[0]) {
        expect_same(tensor, tensors[1].at(name), name);
      }
    }
  }
};

TEST_P(ReferenceQatNumericsTest, IsThatOfTheLayersThatWereFused) {
  ExpectTrainAlike(/*steps=*/2, /*frozen=*/2);
}

TEST_P(ReferenceQatNumericsTest, IsTheSameWithFrozenStatistics) {
  ExpectTrainAlike(/*steps=*/2, /*frozen=*/0);
}

TEST_P(ReferenceQatNumericsTest, StaysTheSameInTrainingThatEndsFrozen) {
  ExpectTrainAlike(/*steps=*/5, /*frozen=*/3);
}

const Form kForms[] = {
    {"Conv", "torch.conv2d(x, self.weight)", {4, 3, 2, 2}, {3, 3, 6, 7}},
    {"ConvWithBias",
     "torch.conv2d(x, self.weight, self.bias, [2, 1], [1, 0])",
     {4, 3, 3, 1},
     {2, 3, 8, 5},
     /*has_bias=*/true},
    {"ConvInGroupsWithRelu",
     "torch.conv2d(x, self.weight, None, [1, 2], [0, 2], [1, 1], 2)",
     {6, 2, 1, 3},
     {4, 4, 7, 9},
     /*has_bias=*/false,
     /*has_relu=*/true,
     /*eps=*/1e-3,
     /*momentum=*/0.3},
    {"ConvOfACircularImage",
     "torch.conv2d(torch.pad(x, [1, 1, 1, 1], \"circular\"), self.weight, "
     "self.bias)",
     {4, 3, 3, 3},
     {2, 3, 6, 6},
     /*has_bias=*/true,
     /*has_relu=*/true,
     /*eps=*/1e-4,
     /*momentum=*/0.2},
    {"Linear",
     "torch.linear(x, self.weight, self.bias)",
     {4, 4},
     {4, 4},
     /*has_bias=*/true},
};

INSTANTIATE_TEST_SUITE_P(, ReferenceQatNumericsTest,
                         ::testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ns

#include "tests/ns/quantization/eager/reference_models.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/graph/module_path.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/kernels/isa.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

bool IsState(const std::string& name, const c10::IValue& value) {
  return name != "training" && (value.isTensor() || value.isInt() ||
                                value.isDouble() || value.isCustomClass());
}

}  // namespace

Module RandomLinear(int64_t in, int64_t out) {
  return Linear(at::randn({out, in}));
}

Module LayerOf(const std::string& type, const std::string& op,
               const at::Tensor& weight, const at::Tensor& bias) {
  return MakeModule(absl::StrCat("torch.nn.modules.", type),
                    absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                                 "    return torch.",
                                 op, "(x, self.weight, self.bias)\n"),
                    {{"weight", weight}, {"bias", bias}});
}

Module BatchNorm(const std::string& dimensions, int64_t channels) {
  return MakeModule(
      absl::StrCat("torch.nn.modules.batchnorm.BatchNorm", dimensions),
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.batch_norm(x, self.weight, self.bias, "
      "self.running_mean, self.running_var, self.training, 0.1, 1e-5, False)\n",
      {{"weight", at::rand({channels}) + 0.5},
       {"bias", at::randn({channels})},
       {"running_mean", at::randn({channels})},
       {"running_var", at::rand({channels}) + 0.5}});
}

Module Elementwise(const std::string& type, const std::string& result) {
  return MakeModule(absl::StrCat("torch.nn.modules.", type),
                    absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                                 "    return ",
                                 result, "\n"));
}

Module LinearAndRelu() {
  return MakeModule("LinearAndRelu",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return self.relu.forward(self.fc.forward(x))\n",
                    {}, {{"fc", RandomLinear(5, 5)}, {"relu", Relu()}});
}

Module TwoLayers(const Module& fc1, const Module& fc2) {
  return MakeModule("TwoLayers",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return self.fc2.forward(self.fc1.forward(x))\n",
                    {}, {{"fc1", fc1}, {"fc2", fc2}});
}

Module Nested(const Module& sub2, const Module& fc3) {
  return MakeModel({{"sub1", LinearAndRelu()}, {"sub2", sub2}, {"fc3", fc3}},
                   {"y = self.sub2.forward(self.sub1.forward(x))",
                    "return self.fc3.forward(y)"});
}

Module FloatFunctional() {
  const auto method = [](const std::string& signature,
                         const std::string& value) {
    return absl::StrCat("def ", signature, " -> Tensor:\n    return self.",
                        kObserverAttribute, ".forward(", value, ")\n");
  };
  return MakeModule(
      "torch.ao.nn.quantized.modules.functional_modules.FloatFunctional",
      absl::StrCat(method("add(self, x: Tensor, y: Tensor)", "torch.add(x, y)"),
                   method("mul(self, x: Tensor, y: Tensor)", "torch.mul(x, y)"),
                   method("cat(self, x: List[Tensor], dim: int = 0)",
                          "torch.cat(x, dim)"),
                   method("add_relu(self, x: Tensor, y: Tensor)",
                          "torch.relu(torch.add(x, y))"),
                   "def add_scalar(self, x: Tensor, y: float) -> Tensor:\n"
                   "    return torch.add(x, y)\n"
                   "def mul_scalar(self, x: Tensor, y: float) -> Tensor:\n"
                   "    return torch.mul(x, y)\n"),
      {}, {{kObserverAttribute, Identity()}});
}

Module Wrapped(const Module& module) { return OrThrow(QuantWrapper(module)); }

Module ChildAt(const Module& model, const std::string& path) {
  Module module = model;
  for (const std::string& name :
       std::vector<std::string>(absl::StrSplit(path, '.'))) {
    module = module.attr(name).toModule();
  }
  return module;
}

std::string TypeAtPath(const Module& model, const std::string& path) {
  return TypeNameOf(ChildAt(model, path));
}

std::vector<std::string> ObservedPaths(const Module& model) {
  const std::string suffix = absl::StrCat(".", kObserverAttribute);
  std::vector<std::string> paths;
  for (const auto& [path, observer] : GetObserverDict(model)) {
    const absl::string_view owner = absl::StripSuffix(path, suffix);
    // The observer of a fake quantization stands below it.
    if (!absl::EndsWith(owner, suffix)) {
      paths.emplace_back(owner);
    }
  }
  return paths;
}

Batch BatchOf(const at::Tensor& x) { return {{x}, {}}; }

std::vector<std::string> StateNames(const Module& model) {
  std::vector<std::string> names;
  for (const auto& module : model.named_modules()) {
    for (const auto& attribute : module.value.named_attributes(false)) {
      if (IsState(attribute.name, attribute.value)) {
        names.push_back(JoinPath(module.name, attribute.name));
      }
    }
  }
  return names;
}

void LoadState(const Module& from, Module& to) {
  for (const auto& module : from.named_modules()) {
    Module target =
        module.name.empty() ? to : ChildAt(to, std::string(module.name));
    for (const auto& attribute : module.value.named_attributes(false)) {
      if (IsState(attribute.name, attribute.value)) {
        target.setattr(attribute.name, attribute.value);
      }
    }
  }
}

void ExpectStandsAlone(const Module& quantized, const at::Tensor& x) {
  for (const auto& module : quantized.named_modules()) {
    EXPECT_FALSE(module.value.hasattr(kQConfigAttribute)) << module.name;
  }
  EXPECT_TRUE(GetObserverDict(quantized).empty());
  const std::string path = TemporaryPath("quantized.pt");
  quantized.save(path);
  Module loaded = OrThrow(LoadModule(path));
  EXPECT_TRUE(loaded.forward({x}).toTensor().equal(
      Module(quantized).forward({x}).toTensor()));
}

void ExpectNear(const at::Tensor& actual, const at::Tensor& expected) {
  const at::Tensor norm = expected.norm();
  EXPECT_GT(norm.item<double>(), 0);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  // Without VNNI, oneDNN's sums saturate with weights and activations of 8
  // bits: how far outputs are off then depends on the data alone.
  if (at::globalContext().qEngine() == at::kONEDNN &&
      !kernels::IsSupported(kernels::Isa::kAvx512Vnni)) {
    EXPECT_TRUE(actual.isfinite().all().item<bool>());
    return;
  }
  EXPECT_LT(((actual - expected).norm() / norm).item<double>(), 0.1);
}

}  // namespace ns

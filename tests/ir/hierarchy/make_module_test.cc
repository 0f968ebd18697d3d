#include "ir/hierarchy/make_module.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/graph/module_path.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

TEST(MakeModuleTest, ModulesRunAndSaveUnderTheirClass) {
  Module inner = NewModule("torch.nn.modules.activation.ReLU");
  NS_ASSERT_OK(DefineMethods(inner,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "    return torch.relu(x)\n"));
  Module module = NewModule("my.package.Model");
  module.register_module("relu", inner);
  NS_ASSERT_OK(DefineMethods(
      module,
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    q = torch.quantize_per_tensor(self.relu.forward(x), 0.5, 0, 13)\n"
      "    return torch.dequantize(ops.quantized.add(q, q, 0.5, 0))\n"));
  const std::string path = TemporaryPath("made.pt");
  module.save(path);
  for (Module each : {module, OrThrow(LoadModule(path))}) {
    EXPECT_EQ(UnmangledTypeName(each.type()->name()->qualifiedName()),
              "my.package.Model");
    EXPECT_TRUE(each.forward({at::full({1}, 1.5)})
                    .toTensor()
                    .equal(at::full({1}, 3.0)));
    EXPECT_FALSE(each.is_training());
  }
}

TEST(MakeModuleTest, CodeThatDoesNotCompileIsAnError) {
  Module module = NewModule("Model");
  const absl::Status status = DefineMethods(
      module, "def forward(self, x: Tensor):\n    return self.gone\n");
  EXPECT_THAT(std::string(status.message()), HasSubstr("compiling a module"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("gone"));
}

TEST(MakeModuleTest, AGraphBecomesAMethod) {
  Module source = NewModule("Source");
  NS_ASSERT_OK(
      DefineMethods(source,
                    "def forward(self, x: Tensor, times: int = 2) -> Tensor:\n"
                    "    return x * times\n"));
  Module module = NewModule("Other");
  AddMethod(module, "scale", source.get_method("forward").graph()->copy(),
            source.get_method("forward").function().getSchema());
  EXPECT_EQ(
      module.get_method("scale")({at::ones({1})}).toTensor().item<float>(), 2);
  EXPECT_EQ(module.get_method("scale").graph()->inputs()[0]->type(),
            c10::TypePtr(module.type()));
}

TEST(MakeModuleTest, AModuleGetsAnotherClassName) {
  Module module = NewModule("a.Scale");
  module.register_parameter("factor", at::full({1}, 3.0F), false);
  NS_ASSERT_OK(DefineMethods(module,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "    return x * self.factor\n"));
  Module renamed = WithClassName(module, "b.Scale");
  EXPECT_EQ(renamed.type()->name()->qualifiedName(), "__torch__.b.Scale");
  EXPECT_EQ(renamed.forward({at::ones({1})}).toTensor().item<float>(), 3);
  ASSERT_EQ(renamed.parameters().size(), 1);
  EXPECT_EQ(renamed.attr("factor").toTensor().data_ptr(),
            module.attr("factor").toTensor().data_ptr());
}

}  // namespace
}  // namespace ns

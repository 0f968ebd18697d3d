// ModuleEditor on the models of the eager suite, made and scripted in Python.
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/module_editor.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/engines.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

const char* const kCases[] = {"conv",         "conv_bn_relu", "conv_transpose",
                              "functionals",  "linear",       "linear_dynamic",
                              "lstm_dynamic", "submodule",    "two_linears"};

// The first tensor of what `module` returns.
at::Tensor OutputOf(Module module, const Batch& batch) {
  c10::IValue output = module.forward(batch.arguments);
  while (output.isTuple()) {
    output = output.toTupleRef().elements()[0];
  }
  return output.toTensor();
}

class ModuleEditorCasesTest : public EagerCaseTest {};

TEST_P(ModuleEditorCasesTest, CopiesComputeTheSame) {
  for (const char* name : kCases) {
    const EagerCase models = Load(name);
    for (const Module& module :
         {models.float_module, models.quantized_module}) {
      ModuleEditor editor = OrThrow(ModuleEditor::Copy(module));
      std::set<const c10::Type*> types;
      for (const std::string& path : editor.Paths()) {
        types.insert(OrThrow(editor.At(path)).type().get());
      }
      EXPECT_EQ(types.size(), editor.Paths().size()) << name;
      const std::string path = TemporaryPath("copy.pt");
      editor.root().save(path);
      const Module loaded = OrThrow(LoadModule(path));
      for (const Batch& batch : models.batches) {
        const at::Tensor expected = OutputOf(module, batch);
        EXPECT_TRUE(OutputOf(editor.root(), batch).equal(expected)) << name;
        EXPECT_TRUE(OutputOf(loaded, batch).equal(expected)) << name;
      }
    }
  }
}

// Both models have the same code at the root.
TEST_P(ModuleEditorCasesTest, AFloatModelWithQuantizedPartsIsTheQuantizedOne) {
  for (const char* name : kCases) {
    // These modules are called otherwise when they are quantized.
    if (std::string(name) == "lstm_dynamic" ||
        std::string(name) == "conv_transpose") {
      continue;
    }
    const EagerCase models = Load(name);
    ModuleEditor editor = OrThrow(ModuleEditor::Copy(models.float_module));
    std::map<std::string, c10::IValue> children;
    for (const auto& child : models.quantized_module.named_children()) {
      children.insert({child.name, child.value._ivalue()});
    }
    ASSERT_FALSE(children.empty()) << name;
    NS_ASSERT_OK(editor.Swap(children));
    for (const Batch& batch : models.batches) {
      EXPECT_TRUE(OutputOf(editor.root(), batch)
                      .equal(OutputOf(models.quantized_module, batch)))
          << name;
    }
  }
}

NS_INSTANTIATE_ON_ENGINES(ModuleEditorCasesTest);

}  // namespace
}  // namespace ns

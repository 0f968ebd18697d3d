// Fuses and quantizes a model of every type of module, and compares what comes
// out with what Python made of it (tests/models/module_cases.py).
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/batches/batches.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/model/quantized_engine.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/module_state.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kFolder[] = "tests/models/module_cases/";

// A line of module_cases.txt.
struct Case {
  std::string stem;
  std::string kind;
  // The modules that are fused.
  std::vector<std::string> chain;

  bool IsForOneDnn() const { return stem.rfind("onednn_", 0) == 0; }
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.stem; }

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  std::ifstream file(absl::StrCat(kFolder, "module_cases.txt"));
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    Case each = {words.at(0), words.at(1), {}};
    if (words.at(2) != "-") {
      each.chain = absl::StrSplit(words.at(2), ',');
    }
    cases.push_back(each);
  }
  return cases;
}

class ModuleCasesTest : public ::testing::TestWithParam<Case> {
 protected:
  ModuleCasesTest()
      : engine_(GetParam().IsForOneDnn() ? at::kONEDNN : at::kQNNPACK),
        batches_(OrThrow(LoadBatches(PathOf("inputs")))) {}

  static std::string PathOf(absl::string_view file) {
    return absl::StrCat(kFolder, GetParam().stem, "_", file, ".pt");
  }

  static Module Load(absl::string_view file) {
    return OrThrow(LoadModule(PathOf(file)));
  }

  static Module Fused() {
    const Case& each = GetParam();
    return each.chain.empty()
               ? Load("float")
               : OrThrow(FuseModules(Load("float"), {each.chain}));
  }

  Module Quantized() const {
    const Case& each = GetParam();
    if (each.kind == "dynamic") {
      return OrThrow(QuantizeDynamicModules(Fused()));
    }
    if (each.kind == "table") {
      ModuleEditor editor = OrThrow(ModuleEditor::Copy(Fused()));
      NS_EXPECT_OK(
          PropagateQConfig(editor, {{"", FloatQParamsWeightOnlyQConfig()}}));
      return OrThrow(Convert(editor.root()));
    }
    const QConfig qconfig = Compatible(GetDefaultQConfig(
        each.IsForOneDnn() ? Backend::kOnednn : Backend::kQnnpack));
    return OrThrow(Quantize(Fused(), {{"", qconfig}}, [&](Module& prepared) {
      return DefaultEvalFn(prepared, batches_);
    }));
  }

  const ScopedEngine engine_;
  const std::vector<Batch> batches_;
};

TEST_P(ModuleCasesTest, FusesAsPythonDoes) {
  if (GetParam().chain.empty()) {
    GTEST_SKIP() << "nothing to fuse";
  }
  const Module fused = Fused();
  EXPECT_EQ(DifferenceOf(fused, Load("fused")), "");
  for (const Batch& batch : batches_) {
    const at::Tensor output = OutputOf(fused, batch);
    EXPECT_TRUE(output.equal(OutputOf(Load("fused"), batch)));
    EXPECT_TRUE(
        at::allclose(output, OutputOf(Load("float"), batch), 1e-5, 1e-5));
  }
  EXPECT_EQ(OrThrow(FindFusableModules(Load("float"))),
            std::vector<std::vector<std::string>>{GetParam().chain});
}

TEST_P(ModuleCasesTest, QuantizesAsPythonDoes) {
  const Module quantized = Quantized();
  EXPECT_EQ(DifferenceOf(quantized, Load("quantized")), "");
  const std::vector<Batch> outputs = OrThrow(LoadBatches(PathOf("outputs")));
  ASSERT_EQ(outputs.size(), batches_.size());
  for (size_t i = 0; i < batches_.size(); ++i) {
    EXPECT_TRUE(OutputOf(quantized, batches_[i])
                    .equal(outputs[i].arguments[0].toTensor()));
  }
}

INSTANTIATE_TEST_SUITE_P(, ModuleCasesTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& info) { return info.param.stem; });

}  // namespace
}  // namespace ns

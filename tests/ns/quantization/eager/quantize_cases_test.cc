// Quantizes the float models of PyTorch's tests of the eager suite, and
// compares what comes out with what Python's quantize and quantize_dynamic made
// of them.
#include <ATen/Functions.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/ns/quantization/eager/module_state.h"
#include "tests/testing/engines.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

class QuantizeCasesTest : public EagerCaseTest {
 protected:
  // The qconfig that PyTorch's test models have on this engine.
  static QConfig EngineQConfig() {
    return Compatible(GetDefaultQConfig(
        GetParam() == at::kONEDNN ? Backend::kOnednn : Backend::kQnnpack));
  }

  // `ours` has the state of `theirs` and gives the same outputs, before and
  // after it was saved.
  static void ExpectSame(const Module& ours, const EagerCase& models,
                         const std::string& name) {
    EXPECT_EQ(DifferenceOf(ours, models.quantized_module), "") << name;
    const std::string path = TemporaryPath("quantized.pt");
    ours.save(path);
    const Module loaded = OrThrow(LoadModule(path));
    for (const Batch& batch : models.batches) {
      const at::Tensor expected = OutputOf(models.quantized_module, batch);
      EXPECT_TRUE(OutputOf(ours, batch).equal(expected)) << name;
      EXPECT_TRUE(OutputOf(loaded, batch).equal(expected)) << name;
    }
  }

  void ExpectQuantizesAlike(const std::string& name, const QConfigSpec& spec) {
    const EagerCase models = Load(name);
    const Module quantized =
        OrThrow(Quantize(models.float_module, spec, [&](Module& prepared) {
          return DefaultEvalFn(prepared, models.batches);
        }));
    ExpectSame(quantized, models, name);
  }
};

TEST_P(QuantizeCasesTest, WholeModels) {
  for (const char* name : {"conv", "conv_bn_relu", "linear"}) {
    ExpectQuantizesAlike(name, {{"", EngineQConfig()}});
  }
}

TEST_P(QuantizeCasesTest, TransposedConvolution) {
  ExpectQuantizesAlike(
      "conv_transpose",
      {{"", Compatible(GetDefaultQConfig(Backend::kQnnpack))}});
}

TEST_P(QuantizeCasesTest, PartsOfModels) {
  ExpectQuantizesAlike(
      "two_linears",
      {{"fc2", Compatible(GetDefaultQConfig(Backend::kFbgemm))}});
  ExpectQuantizesAlike("submodule", {{"mod1", Compatible(DefaultQConfig())}});
}

TEST_P(QuantizeCasesTest, FloatFunctional) {
  ExpectQuantizesAlike("functionals",
                       {{"", Compatible(GetDefaultQConfig(Backend::kFbgemm))}});
}

TEST_P(QuantizeCasesTest, Dynamic) {
  for (const char* name : {"linear_dynamic", "lstm_dynamic"}) {
    const EagerCase models = Load(name);
    ExpectSame(OrThrow(QuantizeDynamicModules(models.float_module)), models,
               name);
  }
}

// A prepared model is calibrated in one process and converted in another.
TEST_P(QuantizeCasesTest, PreparedModelsSaveAndLoad) {
  const EagerCase models = Load("conv_bn_relu");
  Module prepared =
      OrThrow(Prepare(models.float_module, {{"", EngineQConfig()}}));
  const std::string path = TemporaryPath("prepared.pt");
  prepared.save(path);
  Module loaded = OrThrow(LoadModule(path));
  NS_ASSERT_OK(DefaultEvalFn(loaded, models.batches));
  loaded.save(path);
  ExpectSame(OrThrow(Convert(OrThrow(LoadModule(path)))), models, "loaded");
}

NS_INSTANTIATE_ON_ENGINES(QuantizeCasesTest);

}  // namespace
}  // namespace ns

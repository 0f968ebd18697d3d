// Fuses and quantizes torchvision's ResNet18, and compares it with what Python
// made of it (tools/tutorial_models/make_models.py).
#include <ATen/Context.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/files/module_file.h"
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

constexpr char kFolder[] = "tools/tutorial_models/";

TEST(ResNet18Test, IsWhatPythonMakesOfItToTheBit) {
  const ScopedEngine engine(at::kONEDNN);
  const std::string folder = kFolder;
  const Module loaded = OrThrow(LoadModule(folder + "resnet18.pt"));
  const std::vector<Batch> batches = OrThrow(LoadBatches(folder + "images.pt"));
  const Module fused =
      OrThrow(FuseModules(loaded, OrThrow(FindFusableModules(loaded))));
  const Module quantized =
      OrThrow(Quantize(fused, {{"", DefaultQConfig()}}, [&](Module& prepared) {
        return DefaultEvalFn(prepared, batches);
      }));
  const Module expected = OrThrow(LoadModule(folder + "resnet18_quantized.pt"));
  EXPECT_EQ(DifferenceOf(quantized, expected), "");
  for (const Batch& batch : batches) {
    EXPECT_TRUE(OutputOf(quantized, batch).equal(OutputOf(expected, batch)));
  }
}

}  // namespace
}  // namespace ns

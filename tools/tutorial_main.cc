// PyTorch's numeric-suite tutorial, whole, in C++: fuses and quantizes a
// ResNet18 and a language model, and compares each with its float model.
//
//   bazel run -c opt //tools:tutorial
//
// Arguments are the float models and batches for them, which
// tools/tutorial_models/make_models.py makes.

#include <ATen/Context.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/make_module.h"
#include "ns/batches/batches.h"
#include "ns/eager/compare_weights.h"
#include "ns/eager/eager_suite.h"
#include "ns/eager/matching_activations.h"
#include "ns/eager/prepare_model_outputs.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace {

using ::torch::jit::Module;

// A line a key: 20 log10(|x| / |x - y|) over all tensors of both lists.
void Print(const char* title, const ns::LoggerDict& dict) {
  std::printf("\n%s: %zu\n", title, dict.size());
  for (const auto& [key, stats] : dict) {
    const auto& float_values = stats.at(ns::kFloatValues);
    const auto& quantized_values = stats.at(ns::kQuantizedValues);
    ns::PairStatistics pooled;
    for (size_t i = 0; i < float_values.size(); ++i) {
      pooled.Merge(ns::ComparePair(float_values[i], quantized_values[i]));
    }
    std::printf("  %-44s %10.4f dB\n", key.c_str(), pooled.SqnrDb());
  }
}

// A logger of one's own: it counts the values that it has seen.
absl::StatusOr<c10::IValue> CountingLogger(const ns::LoggerInfo&) {
  Module logger = ns::NewModule("CountingLogger");
  logger.register_attribute("stats",
                            c10::ListType::create(c10::TensorType::get()),
                            c10::List<at::Tensor>());
  NS_RETURN_IF_ERROR(
      ns::DefineMethods(logger,
                        "def forward(self, x: Tensor) -> Tensor:\n"
                        "    self.stats.append(torch.tensor([x.numel()]))\n"
                        "    return x\n"));
  return logger._ivalue();
}

absl::Status PrintCounts(const Module& float_model, const Module& quantized,
                         const std::vector<ns::Batch>& batches) {
  ns::OutputOptions options;
  options.logger = CountingLogger;
  NS_ASSIGN_OR_RETURN(ns::PreparedModels logged,
                      ns::PrepareModelOutputs(float_model, quantized, options));
  for (const ns::Batch& batch : batches) {
    NS_RETURN_IF_ERROR(logged.float_model.Run(batch.arguments).status());
    NS_RETURN_IF_ERROR(logged.quantized_model.Run(batch.arguments).status());
  }
  NS_ASSIGN_OR_RETURN(
      const ns::LoggerDict counts,
      ns::GetMatchingActivations(logged.float_model.module(),
                                 logged.quantized_model.module()));
  std::printf("\nvalues that a logger of our own has counted: %zu\n",
              counts.size());
  for (const auto& [key, stats] : counts) {
    std::printf("  %-44s %10ld in each of %zu batches\n", key.c_str(),
                stats.at(ns::kFloatValues).front().item<int64_t>(),
                stats.at(ns::kFloatValues).size());
  }
  return absl::OkStatus();
}

absl::Status Compare(const Module& float_model, const Module& quantized,
                     const std::vector<std::string>& swap_list,
                     const std::vector<ns::Batch>& batches) {
  NS_ASSIGN_OR_RETURN(const ns::LoggerDict weights,
                      ns::CompareWeights(float_model, quantized));
  Print("weights", weights);
  NS_ASSIGN_OR_RETURN(const ns::LoggerDict outputs,
                      ns::CompareModelOutputs(float_model, quantized, batches));
  Print("outputs", outputs);
  NS_ASSIGN_OR_RETURN(
      const ns::LoggerDict stubs,
      ns::CompareModelStub(float_model, quantized, swap_list, batches));
  Print("stubs", stubs);
  return absl::OkStatus();
}

absl::Status StaticQuantization(const char* model_path,
                                const char* batches_path) {
  NS_ASSIGN_OR_RETURN(const Module loaded, ns::LoadModule(model_path));
  NS_ASSIGN_OR_RETURN(const std::vector<ns::Batch> batches,
                      ns::LoadBatches(batches_path));
  NS_ASSIGN_OR_RETURN(const auto chains, ns::FindFusableModules(loaded));
  NS_ASSIGN_OR_RETURN(const Module model, ns::FuseModules(loaded, chains));
  NS_ASSIGN_OR_RETURN(
      const Module quantized,
      ns::Quantize(model, {{"", ns::DefaultQConfig()}}, [&](Module& prepared) {
        return ns::DefaultEvalFn(prepared, batches);
      }));
  std::printf("== ResNet18: %zu chains fused, then quantized statically\n",
              chains.size());
  NS_RETURN_IF_ERROR(
      Compare(model, quantized, {"QuantizableBasicBlock"}, batches));
  return PrintCounts(model, quantized, batches);
}

absl::Status DynamicQuantization(const char* model_path,
                                 const char* batches_path) {
  NS_ASSIGN_OR_RETURN(const Module model, ns::LoadModule(model_path));
  NS_ASSIGN_OR_RETURN(const std::vector<ns::Batch> batches,
                      ns::LoadBatches(batches_path));
  ns::QuantizeDynamicOptions options;
  options.modules = {"LSTM", "Linear"};
  NS_ASSIGN_OR_RETURN(const Module quantized,
                      ns::QuantizeDynamicModules(model, options));
  std::printf("\n== language model: LSTM and linear quantized dynamically\n");
  return Compare(model, quantized, {"Linear", "LSTM"}, batches);
}

absl::Status Run(char** paths) {
  const auto& engines = at::globalContext().supportedQEngines();
  if (absl::c_linear_search(engines, at::kONEDNN)) {
    at::globalContext().setQEngine(at::kONEDNN);
  }
  NS_RETURN_IF_ERROR(StaticQuantization(paths[0], paths[1]));
  return DynamicQuantization(paths[2], paths[3]);
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 5 ? Run(argv + 1)
                : absl::InvalidArgumentError(
                      "give RESNET.pt IMAGES.pt LSTM.pt WORDS.pt, as bazel run "
                      "//tools:tutorial does");
  if (!status.ok()) {
    std::fprintf(stderr, "tutorial: %s\n",
                 std::string(status.message()).c_str());
  }
  return status.ok() ? 0 : 1;
}

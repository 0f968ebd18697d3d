// Quantizes module hierarchies in one call (torch.quantization.quantize and
// quantize_dynamic).
#ifndef NS_QUANTIZATION_EAGER_QUANTIZE_H_
#define NS_QUANTIZATION_EAGER_QUANTIZE_H_

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/batches/batch.h"
#include "ns/quantization/eager/prepare_and_convert.h"

namespace ns {

// Runs a prepared model on samples.
using RunFn = std::function<absl::Status(torch::jit::Module& model)>;

// Runs `model` on all batches, without gradients and as its code stands, and
// forgets what it returns (reference: default_eval_fn, whose labels a batch has
// not). Error: a batch that the model does not take, or fails on, named.
absl::Status DefaultEvalFn(torch::jit::Module& model,
                           const std::vector<Batch>& batches);

struct QuantizeModuleOptions {
  // Its `inplace` and `warnings` are those of `convert`.
  PrepareOptions prepare;
  ConvertOptions convert;
};

// Switches a copy of `model` to evaluation, prepares it, runs `run_fn` on it,
// and converts it.
absl::StatusOr<torch::jit::Module> Quantize(
    const torch::jit::Module& model, const QConfigSpec& qconfigs,
    const RunFn& run_fn, const QuantizeModuleOptions& options = {});

struct QuantizeQatOptions {
  // Its `inplace` and `warnings` are those of `convert`.
  PrepareQatOptions prepare;
  ConvertOptions convert;
};

// Switches a copy of `model` to training, prepares it for that, runs `run_fn`
// on it, which trains it, and converts it (reference: quantize_qat). The result
// is in evaluation.
absl::StatusOr<torch::jit::Module> QuantizeQat(
    const torch::jit::Module& model, const QConfigSpec& qconfigs,
    const RunFn& run_fn, const QuantizeQatOptions& options = {});

struct QuantizeDynamicOptions {
  // Which modules are quantized, and how; absent for all of the types that
  // `dtype` has a default for.
  std::optional<QConfigSpec> qconfigs;
  // Instead of `qconfigs`: names and types of modules, which get the qconfig of
  // `dtype`.
  std::set<std::string> modules;
  // qint8 (linear layers, LSTMs, GRUs, cells), float16 (the same), quint8
  // (embeddings and bags of them) or quint4x2 (bags).
  at::ScalarType dtype = at::kQInt8;
  ModuleMapping mapping = GetDefaultDynamicQuantModuleMappings();
  bool inplace = false;
  std::vector<std::string>* warnings = nullptr;
};

// Returns the qconfigs of the types of `model` that are quantized to `dtype` by
// default. Error: a dtype that is none of the four above.
absl::StatusOr<QConfigSpec> DefaultDynamicSpec(const torch::jit::Module& model,
                                               at::ScalarType dtype);

// Switches a copy of `model` to evaluation and quantizes modules that need no
// calibration. Error: a dtype that is none of these, and what Convert refuses.
absl::StatusOr<torch::jit::Module> QuantizeDynamicModules(
    const torch::jit::Module& model,
    const QuantizeDynamicOptions& options = {});

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZE_H_

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

// Runs `model` on all batches, without gradients and without LibTorch's graph
// optimisation, and drops what it returns. It does not switch between training
// and evaluation. (In PyTorch it is default_eval_fn; batches have no labels
// here.) Error: a batch that the model does not take, or fails on; the message
// says which.
absl::Status DefaultEvalFn(torch::jit::Module& model,
                           const std::vector<Batch>& batches);

struct QuantizeModuleOptions {
  // Its `inplace` and `warnings` are ignored: those of `convert` hold for both
  // steps.
  PrepareOptions prepare;
  ConvertOptions convert;
};

// Switches a copy of `model` to evaluation, prepares it, runs `run_fn` on it,
// and converts it. Error: that of Prepare, of `run_fn`, or of Convert.
absl::StatusOr<torch::jit::Module> Quantize(
    const torch::jit::Module& model, const QConfigSpec& qconfigs,
    const RunFn& run_fn, const QuantizeModuleOptions& options = {});

struct QuantizeQatOptions {
  // Its `inplace` and `warnings` are ignored: those of `convert` hold for both
  // steps.
  PrepareQatOptions prepare;
  ConvertOptions convert;
};

// Switches a copy of `model` to training, prepares it for that, runs `run_fn`
// on it, which trains it, and converts it (reference: quantize_qat). The result
// is in evaluation. Error: that of PrepareQat, of `run_fn`, or of Convert.
absl::StatusOr<torch::jit::Module> QuantizeQat(
    const torch::jit::Module& model, const QConfigSpec& qconfigs,
    const RunFn& run_fn, const QuantizeQatOptions& options = {});

struct QuantizeDynamicOptions {
  // Which modules are quantized, and how. Where it is set, `modules` and
  // `dtype` are ignored. Without it and without `modules`, all modules of the
  // types that `dtype` has a default for are.
  std::optional<QConfigSpec> qconfigs;
  // Names and types of modules, which get the default qconfig of `dtype`.
  std::set<std::string> modules;
  // qint8 (linear layers, LSTMs, GRUs, cells), float16 (the same), quint8
  // (embeddings and bags of them) or quint4x2 (bags).
  at::ScalarType dtype = at::kQInt8;
  ModuleMapping mapping = GetDefaultDynamicQuantModuleMappings();
  // Whether the copy shares the tensors of the model. The model itself is not
  // quantized in either case: use what the function returns.
  bool inplace = false;
  // Gets what was odd, a line each; null to ignore it.
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

#include "ns/quantization/eager/quantize.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/module_tree.h"
#include "passes/quantization/qconfig/default_qconfigs.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kLinear[] = "torch.nn.modules.linear.Linear";
constexpr char kEmbedding[] = "torch.nn.modules.sparse.Embedding";
constexpr char kEmbeddingBag[] = "torch.nn.modules.sparse.EmbeddingBag";

// A copy, in training or in evaluation.
absl::StatusOr<Module> CopyIn(bool training, const Module& model,
                              bool inplace) {
  NS_ASSIGN_OR_RETURN(
      ModuleEditor copy,
      ModuleEditor::Copy(model, inplace ? ModuleEditor::Tensors::kShared
                                        : ModuleEditor::Tensors::kCopied));
  copy.root().train(training);
  return copy.root();
}

struct DynamicDefault {
  QConfig qconfig;
  std::vector<std::string> types;
};

absl::StatusOr<DynamicDefault> DefaultFor(at::ScalarType dtype) {
  const std::vector<std::string> layers = {kLinear,
                                           "torch.nn.modules.rnn.LSTM",
                                           "torch.nn.modules.rnn.GRU",
                                           "torch.nn.modules.rnn.LSTMCell",
                                           "torch.nn.modules.rnn.RNNCell",
                                           "torch.nn.modules.rnn.GRUCell"};
  switch (dtype) {
    case at::kQInt8:
      return DynamicDefault{DefaultDynamicQConfig(), layers};
    case at::kHalf:
      return DynamicDefault{Float16DynamicQConfig(), layers};
    case at::kQUInt8:
      return DynamicDefault{FloatQParamsWeightOnlyQConfig(),
                            {kEmbeddingBag, kEmbedding}};
    case at::kQUInt4x2:
      return DynamicDefault{FloatQParamsWeightOnlyQConfig4Bit(),
                            {kEmbeddingBag}};
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "weights are not quantized dynamically to ", c10::toString(dtype),
          "; give qint8, float16, quint8 or quint4x2"));
  }
}

// The qconfigs of the modules that `options` names.
absl::StatusOr<QConfigSpec> SpecOf(const Module& model,
                                   const QuantizeDynamicOptions& options) {
  if (options.qconfigs) {
    return *options.qconfigs;
  }
  if (options.modules.empty()) {
    return DefaultDynamicSpec(model, options.dtype);
  }
  NS_ASSIGN_OR_RETURN(const DynamicDefault defaults, DefaultFor(options.dtype));
  QConfigSpec spec;
  for (const std::string& name : options.modules) {
    spec[name] = defaults.qconfig;
  }
  return spec;
}

absl::StatusOr<Module> RunAndConvert(Module prepared, const RunFn& run_fn,
                                     ConvertOptions convert) {
  NS_RETURN_IF_ERROR(run_fn(prepared));
  convert.inplace = true;
  return Convert(prepared, convert);
}

}  // namespace

absl::Status DefaultEvalFn(Module& model, const std::vector<Batch>& batches) {
  // It has the same observers.
  NS_ASSIGN_OR_RETURN(ModelGraph copy, ModelGraph::FromModuleAsItIs(model));
  return RunBatches("prepared", copy, batches);
}

absl::StatusOr<QConfigSpec> DefaultDynamicSpec(const Module& model,
                                               at::ScalarType dtype) {
  NS_ASSIGN_OR_RETURN(const DynamicDefault defaults, DefaultFor(dtype));
  QConfigSpec spec;
  for (const std::string& type : TypeNames(model)) {
    if (IsTypeListed(type, defaults.types)) {
      spec[type] = defaults.qconfig;
    }
  }
  return spec;
}

absl::StatusOr<Module> Quantize(const Module& model,
                                const QConfigSpec& qconfigs,
                                const RunFn& run_fn,
                                const QuantizeModuleOptions& options) {
  NS_ASSIGN_OR_RETURN(const Module copy, CopyIn(/*training=*/false, model,
                                                options.convert.inplace));
  PrepareOptions prepare = options.prepare;
  prepare.inplace = true;
  prepare.warnings = options.convert.warnings;
  NS_ASSIGN_OR_RETURN(const Module prepared, Prepare(copy, qconfigs, prepare));
  return RunAndConvert(prepared, run_fn, options.convert);
}

absl::StatusOr<Module> QuantizeQat(const Module& model,
                                   const QConfigSpec& qconfigs,
                                   const RunFn& run_fn,
                                   const QuantizeQatOptions& options) {
  NS_ASSIGN_OR_RETURN(const Module copy, CopyIn(/*training=*/true, model,
                                                options.convert.inplace));
  PrepareQatOptions prepare = options.prepare;
  prepare.inplace = true;
  prepare.warnings = options.convert.warnings;
  NS_ASSIGN_OR_RETURN(const Module prepared,
                      PrepareQat(copy, qconfigs, prepare));
  NS_ASSIGN_OR_RETURN(Module quantized,
                      RunAndConvert(prepared, run_fn, options.convert));
  quantized.eval();
  return quantized;
}

absl::StatusOr<Module> QuantizeDynamicModules(
    const Module& model, const QuantizeDynamicOptions& options) {
  NS_ASSIGN_OR_RETURN(const QConfigSpec spec, SpecOf(model, options));
  NS_ASSIGN_OR_RETURN(const Module copy,
                      CopyIn(/*training=*/false, model, options.inplace));
  NS_ASSIGN_OR_RETURN(ModuleEditor editor, ModuleEditor::Copy(copy));
  NS_RETURN_IF_ERROR(PropagateQConfig(editor, spec));
  ConvertOptions convert;
  convert.mapping = options.mapping;
  convert.inplace = true;
  convert.warnings = options.warnings;
  return Convert(editor.root(), convert);
}

}  // namespace ns

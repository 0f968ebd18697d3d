#include "ns/quantization/eager/decompose_layers.h"

#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/make_module.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/quantization/eager/outside_reads.h"
#include "ns/quantization/eager/quantizable_attention.h"
#include "ns/quantization/eager/quantizable_lstm.h"

namespace ns {
namespace {

using ::torch::jit::Module;

struct Layer {
  const char* type;
  absl::StatusOr<Module> (*decompose)(const Module& layer);
  const char* decomposed;
  const char* quantized;
  // What is left to do once the parts are quantized.
  void (*finish)(Module& quantized);
};

constexpr Layer kLayers[] = {
    {"torch.nn.modules.rnn.LSTM", QuantizableLstm, kQuantizableLstm,
     kQuantizedLstm, [](Module&) {}},
    {"torch.nn.modules.activation.MultiheadAttention", QuantizableAttention,
     kQuantizableAttention, kQuantizedAttention, QuantizeAttentionBiases},
};

const Layer* LayerOf(absl::string_view type) {
  for (const Layer& layer : kLayers) {
    if (IsTypeNamed(type, layer.type)) {
      return &layer;
    }
  }
  return nullptr;
}

}  // namespace

bool IsDecomposed(absl::string_view type) { return LayerOf(type) != nullptr; }

// All at once, as swapping goes through the code of the whole model.
absl::Status DecomposeLayers(
    ModuleEditor& editor,
    const std::function<bool(absl::string_view type)>& is_left) {
  std::map<std::string, c10::IValue> replacements;
  std::map<std::string, OptionalQConfig> qconfigs;
  const auto reads = TensorsReadOutside(editor.root());
  for (const std::string& path : editor.Paths()) {
    NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
    NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig,
                        Annotated(path, QConfigOf(module)));
    const std::string type = TypeNameOf(module);
    const Layer* layer = LayerOf(type);
    if (path.empty() || layer == nullptr || is_left(type) ||
        reads.count(path) != 0 || !qconfig ||
        ModeOf(qconfig->activation) != QuantizationMode::kStatic) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(const Module parts,
                        Annotated(path, layer->decompose(module)));
    replacements[path] = parts._ivalue();
    for (const auto& part : parts.named_modules()) {
      qconfigs[JoinPath(path, part.name)] = qconfig;
    }
  }
  if (replacements.empty()) {
    return absl::OkStatus();
  }
  NS_RETURN_IF_ERROR(editor.Swap(replacements));
  for (const auto& [path, qconfig] : qconfigs) {
    NS_RETURN_IF_ERROR(SetQConfig(editor, path, qconfig));
  }
  return absl::OkStatus();
}

absl::Status FinishDecomposed(ModuleEditor& editor) {
  std::map<std::string, c10::IValue> renamed;
  for (const std::string& path : editor.Paths()) {
    NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
    for (const Layer& layer : kLayers) {
      const auto qconfig = QConfigOf(module);
      if (TypeNameOf(module) == layer.decomposed && qconfig.ok() && *qconfig) {
        Module finished = WithClassName(module, layer.quantized);
        layer.finish(finished);
        renamed[path] = finished._ivalue();
      }
    }
  }
  return renamed.empty() ? absl::OkStatus() : editor.Swap(renamed);
}

}  // namespace ns

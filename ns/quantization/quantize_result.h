// Holds a quantized model and what there is to say of it.
#ifndef NS_QUANTIZATION_QUANTIZE_RESULT_H_
#define NS_QUANTIZATION_QUANTIZE_RESULT_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "ns/quantization/model/headroom_trial.h"
#include "ns/quantization/model/output_error.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

struct QuantizeResult {
  // Needs LibTorch's ops only; torch.jit.load reads what Save writes.
  ModelGraph quantized;
  // The float model with observers that have seen all batches. Saved, it can be
  // calibrated further, merged with others (MergePrepared), and converted by
  // QuantizePrepared.
  ModelGraph prepared;
  // The float model with factors moved between its layers, of which `quantized`
  // was made: layer by layer, that one is to be compared with this. Absent
  // where nothing was to be moved (HasRescaling).
  std::optional<ModelGraph> rescaled;
  // Says how each layer is quantized.
  QConfigMapping mapping;
  // How each layer is quantized, by which rule, why others stayed in float, and
  // which methods were tried. Its warnings are those of the whole work.
  QuantizationReport report;
  // How far the outputs are from those of the float or prepared model on the
  // batches; empty without batches, or without tensors to compare.
  std::vector<OutputError> outputs;
  // What other flags of `ns quantize` would gain, with figures, one line each:
  // "--mode=dynamic: 39.6 dB in the worst output, for 12.8 dB here; ...".
  std::vector<std::string> advice;
  // Absent where none was tried.
  std::optional<HeadroomTrial> headroom = std::nullopt;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_RESULT_H_

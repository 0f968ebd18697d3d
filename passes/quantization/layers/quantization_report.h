// What quantizing a model did to each layer, for tables and JSON.
#ifndef PASSES_QUANTIZATION_LAYERS_QUANTIZATION_REPORT_H_
#define PASSES_QUANTIZATION_LAYERS_QUANTIZATION_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns {

// How an input or the output of a layer is quantized.
struct ValueQuantization {
  double scale = 1;
  int64_t zero_point = 0;
  // The least and the largest value that the integers stand for.
  double min = 0;
  double max = 0;
  // How many times as large as those of calibration values may be before they
  // are clipped; below 1 where the largest of them are clipped already. Absent
  // where no range was observed, or only zeros.
  std::optional<double> headroom = std::nullopt;
};

struct WeightQuantization {
  // QSchemeName: "per_channel_symmetric"; "float16" for half precision.
  std::string scheme;
  // One, or one for each channel; of recurrent layers, those of all weights in
  // the order of torch.nn. None for half precision.
  std::vector<double> scales;
};

struct LayerQuantization {
  // FloatSubgraph::name, "layer1.0.conv1", and op, "aten::conv2d".
  std::string name;
  std::string op;
  // QConfigName, and the rule of the mapping that chose it: "global",
  // "object type 'linear'", "module name 'fc'".
  std::string qconfig;
  std::string rule;
  // The inputs that are quantized, in order; none for dynamic and weight-only
  // layers, and no output.
  std::vector<ValueQuantization> inputs;
  std::optional<ValueQuantization> output;
  // Absent for ops without a quantized weight.
  std::optional<WeightQuantization> weight;
  // Whether its bias makes up for what quantizing the weight shifts.
  bool has_corrected_bias = false;
};

struct FloatLayer {
  std::string name;
  std::string op;
  // Why: "qconfig is none (module name 'fc')", "has no int8 form", "never ran
  // during calibration".
  std::string reason;
};

// A method to lose less that was tried on a layer, and is kept only where it
// helps.
struct TriedMethod {
  std::string layer;
  // "bias correction".
  std::string method;
  // The SQNR in dB of the layer by itself, on batches that the method did not
  // see: without it and with it. For ranges, it is that of the mean noise of
  // the layers that take its output; for sequential bias correction, that of
  // its output in the model.
  double without_db = 0;
  double with_db = 0;
  // Why it was not kept, "it gains nothing"; empty where it was.
  std::string reason;
  // Whether the figures are those of the worst output of the model on all
  // batches instead, with all layers changed that were tried together.
  bool is_of_outputs = false;

  bool IsKept() const { return reason.empty(); }
};

struct QuantizationReport {
  // The names of all layers in order of execution; empty where that is not
  // known.
  std::vector<std::string> order;
  // In order of execution.
  std::vector<LayerQuantization> layers;
  std::vector<FloatLayer> stayed_float;
  // One method after the other, as they were tried: those that were kept, and
  // those that were not.
  std::vector<TriedMethod> tried;
  // Rules of the mapping that chose nothing, as QConfigMapping::ToString shows
  // them.
  std::vector<std::string> unused_rules;
  // For the user's eyes, one line each: nan and inf among observed values, a
  // qconfig that was changed because a kernel refuses it.
  std::vector<std::string> warnings;
};

// Sorts `layers` and `stayed_float` by report.order. Layers that it lacks come
// last, in the order that they have.
void SortByExecution(QuantizationReport& report);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_QUANTIZATION_REPORT_H_

#include "ns/quantization/report/quantize_json.h"

#include <optional>
#include <string>

#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/quantization/report/layer_bits.h"
#include "ns/training/training_report.h"

namespace ns {
namespace {

// The mean loss of some batches, and the accuracy on those with labels.
struct FiguresSummary {
  int64_t batches = 0;
  double loss = 0;
  std::optional<int64_t> samples = {};
  std::optional<double> top1 = {};
};

template <typename Io>
void Map(Io& io, FiguresSummary& figures) {
  io("batches", figures.batches);
  io("loss", figures.loss);
  io.Optional("samples", figures.samples);
  io.Optional("top1", figures.top1);
}

// Absent where no batch was counted.
std::optional<FiguresSummary> SummaryOf(const TrainingFigures& figures) {
  if (figures.batches == 0) {
    return std::nullopt;
  }
  FiguresSummary summary = {figures.batches, figures.loss()};
  if (figures.samples > 0) {
    summary.samples = figures.samples;
    summary.top1 = figures.top1();
  }
  return summary;
}

}  // namespace

template <typename Io>
void Map(Io& io, ValueQuantization& value) {
  io("scale", value.scale);
  io("zero_point", value.zero_point);
  io("min", value.min);
  io("max", value.max);
  io.Optional("headroom", value.headroom);
}

template <typename Io>
void Map(Io& io, WeightQuantization& weight) {
  io("scheme", weight.scheme);
  io("scales", weight.scales);
}

template <typename Io>
void Map(Io& io, LayerQuantization& layer) {
  io("name", layer.name);
  io("op", layer.op);
  io("qconfig", layer.qconfig);
  io("rule", layer.rule);
  io.Derived("activation_bits", [&] { return ActivationBits(layer); });
  io.Derived("weight_bits", [&] { return WeightBits(layer); });
  io("inputs", layer.inputs);
  io.Optional("output", layer.output);
  io.Optional("weight", layer.weight);
}

template <typename Io>
void Map(Io& io, FloatLayer& layer) {
  io("name", layer.name);
  io("op", layer.op);
  io("reason", layer.reason);
}

template <typename Io>
void Map(Io& io, TriedMethod& tried) {
  io("layer", tried.layer);
  io("method", tried.method);
  io("sqnr_db_without", tried.without_db);
  io("sqnr_db_with", tried.with_db);
  io.Derived("kept", [&] { return tried.IsKept(); });
  io.When(!tried.IsKept(), "reason", tried.reason);
}

template <typename Io>
void Map(Io& io, HeadroomTrial& trial) {
  io("factor", trial.factor);
  io("batch", trial.batch);
  io("sqnr_db_without", trial.without_db);
  io("sqnr_db_with", trial.with_db);
  io.Derived("kept", [&] { return trial.IsKept(); });
}

template <typename Io>
void Map(Io& io, OutputError& output) {
  io("name", output.name);
  io("sqnr_db", output.sqnr_db);
  io.Optional("integers", output.holds_integers);
  io.Derived("channels", [&] {
    return output.channels ? std::optional(output.channels->channels)
                           : std::nullopt;
  });
  io.Derived("channels_below_3db", [&] {
    return output.channels ? std::optional(output.channels->below_3db)
                           : std::nullopt;
  });
}

template <typename Io>
void Map(Io& io, EpochReport& epoch) {
  io.Derived("trained", [&] { return SummaryOf(epoch.trained); });
  io.Derived("held_out", [&] { return SummaryOf(epoch.held_out); });
}

template <typename Io>
void Map(Io& io, TrainingReport& training) {
  io("goal", training.goal);
  io("optimizer", training.optimizer);
  io("learning_rate", training.learning_rate);
  io("trained_batches", training.trained_batches);
  io("held_out_batches", training.held_out_batches);
  io("epochs", training.epochs);
  io.Derived("float", [&] { return SummaryOf(training.float_model); });
  io.Derived("calibrated", [&] { return SummaryOf(training.calibrated); });
  io.Derived("trained", [&] { return SummaryOf(training.quantized); });
  io.Derived("quantized", [&] {
    return SummaryOf(training.keeps_calibrated ? training.calibrated
                                               : training.quantized);
  });
}

template <typename Io>
void Map(Io& io, BudgetReport& budget) {
  io("sqnr_db", budget.budget_db);
  io("predicted_db", budget.predicted_db);
  io("measured_db", budget.measured_db);
  io("batches", budget.batches);
  io("layers", budget.layers);
  io("int8_layers", budget.int8_layers);
  io("time_us", budget.time_us);
  io("float_time_us", budget.float_time_us);
}

template <typename Io>
void Map(Io& io, QuantizeSummary& summary) {
  io.Schema("ns.quantize/1", "what ns quantize --json wrote");
  io("float", summary.float_path);
  io.Optional("prepared", summary.prepared_paths);
  io("out", summary.out_path);
  io("mode", summary.mode);
  io("backend", summary.backend);
  io("batches", summary.batches);
  io("layers", summary.report.layers);
  io("stayed_float", summary.report.stayed_float);
  io("tried", summary.report.tried);
  io.Optional("headroom", summary.headroom);
  io("unused_rules", summary.report.unused_rules);
  io("warnings", summary.report.warnings);
  io.When(summary.batches > 0, "output_sqnr_db", summary.outputs);
  io.Optional("advice", summary.advice);
  io.Optional("training", summary.training);
  io.Optional("budget", summary.budget);
}

std::string QuantizeJson(const QuantizeSummary& summary) {
  return WriteJson(summary);
}

}  // namespace ns

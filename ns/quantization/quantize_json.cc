#include "ns/quantization/quantize_json.h"

#include <string>
#include <utility>

#include "ns/report/json_writer.h"
#include "ns/training/training_report.h"

namespace ns {
namespace {

void WriteValue(JsonWriter& json, const ValueQuantization& value) {
  json.BeginObject();
  json.Member("scale", value.scale);
  json.Member("zero_point", value.zero_point);
  json.Member("min", value.min);
  json.Member("max", value.max);
  json.EndObject();
}

void WriteLayer(JsonWriter& json, const LayerQuantization& layer) {
  json.BeginObject();
  json.Member("name", layer.name);
  json.Member("op", layer.op);
  json.Member("qconfig", layer.qconfig);
  json.Member("rule", layer.rule);
  json.Key("inputs");
  json.BeginArray();
  for (const ValueQuantization& input : layer.inputs) {
    WriteValue(json, input);
  }
  json.EndArray();
  if (layer.output) {
    json.Key("output");
    WriteValue(json, *layer.output);
  }
  if (layer.weight) {
    json.Key("weight");
    json.BeginObject();
    json.Member("scheme", layer.weight->scheme);
    json.Member("scales", layer.weight->scales);
    json.EndObject();
  }
  json.EndObject();
}

void WriteFloatLayer(JsonWriter& json, const FloatLayer& layer) {
  json.BeginObject();
  json.Member("name", layer.name);
  json.Member("op", layer.op);
  json.Member("reason", layer.reason);
  json.EndObject();
}

void WriteTried(JsonWriter& json, const TriedMethod& tried) {
  json.BeginObject();
  json.Member("layer", tried.layer);
  json.Member("method", tried.method);
  json.Member("sqnr_db_without", tried.without_db);
  json.Member("sqnr_db_with", tried.with_db);
  json.Key("kept");
  json.Bool(tried.IsKept());
  if (!tried.IsKept()) {
    json.Member("reason", tried.reason);
  }
  json.EndObject();
}

void WriteOutput(JsonWriter& json, const OutputError& output) {
  json.BeginObject();
  json.Member("name", output.name);
  json.Member("sqnr_db", output.sqnr_db);
  if (output.holds_integers) {
    json.Key("integers");
    json.Bool(true);
  }
  json.EndObject();
}

void WriteFigures(JsonWriter& json, const char* key,
                  const TrainingFigures& figures) {
  if (figures.batches == 0) {
    return;
  }
  json.Key(key);
  json.BeginObject();
  json.Member("batches", figures.batches);
  json.Member("loss", figures.loss());
  if (figures.samples > 0) {
    json.Member("samples", figures.samples);
    json.Member("top1", figures.top1());
  }
  json.EndObject();
}

void WriteTraining(JsonWriter& json, const TrainingReport& training) {
  json.Key("training");
  json.BeginObject();
  json.Member("goal", training.goal);
  json.Member("optimizer", training.optimizer);
  json.Member("learning_rate", training.learning_rate);
  json.Member("trained_batches", training.trained_batches);
  json.Member("held_out_batches", training.held_out_batches);
  json.Key("epochs");
  json.BeginArray();
  for (const EpochReport& epoch : training.epochs) {
    json.BeginObject();
    WriteFigures(json, "trained", epoch.trained);
    WriteFigures(json, "held_out", epoch.held_out);
    json.EndObject();
  }
  json.EndArray();
  WriteFigures(json, "float", training.float_model);
  WriteFigures(json, "calibrated", training.calibrated);
  WriteFigures(json, "trained", training.quantized);
  WriteFigures(
      json, "quantized",
      training.keeps_calibrated ? training.calibrated : training.quantized);
  json.EndObject();
}

}  // namespace

std::string QuantizeJson(const QuantizeSummary& summary) {
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", "ns.quantize/1");
  json.Member("float", summary.float_path);
  if (!summary.prepared_paths.empty()) {
    json.Member("prepared", summary.prepared_paths);
  }
  json.Member("out", summary.out_path);
  json.Member("mode", summary.mode);
  json.Member("backend", summary.backend);
  json.Member("batches", summary.batches);
  json.Key("layers");
  json.BeginArray();
  for (const LayerQuantization& layer : summary.report.layers) {
    WriteLayer(json, layer);
  }
  json.EndArray();
  json.Key("stayed_float");
  json.BeginArray();
  for (const FloatLayer& layer : summary.report.stayed_float) {
    WriteFloatLayer(json, layer);
  }
  json.EndArray();
  json.Key("tried");
  json.BeginArray();
  for (const TriedMethod& tried : summary.report.tried) {
    WriteTried(json, tried);
  }
  json.EndArray();
  json.Member("unused_rules", summary.report.unused_rules);
  json.Member("warnings", summary.report.warnings);
  if (summary.batches > 0) {
    json.Key("output_sqnr_db");
    json.BeginArray();
    for (const OutputError& output : summary.outputs) {
      WriteOutput(json, output);
    }
    json.EndArray();
  }
  if (summary.training) {
    WriteTraining(json, *summary.training);
  }
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns

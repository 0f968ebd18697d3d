#include "ns/report/read_comparison.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/parse_json.h"
#include "ir/read_text_file.h"
#include "ir/status.h"
#include "ns/report/json_cursor.h"
#include "ns/report/limit_text.h"
#include "ns/report/read_figures.h"

namespace ns {
namespace {

constexpr char kSchema[] = "ns.compare/1";
constexpr size_t kMostOfAnError = 1000;
constexpr TextFileKind kKind = {"comparison", "ns compare --json",
                                size_t{256} << 20};

std::string OptionalText(const JsonCursor& json, absl::string_view key) {
  const std::optional<JsonCursor> text = json.Find(key);
  return text ? text->Text() : "";
}

double ReadNumber(const JsonCursor& json) { return json.Number(); }
int64_t ReadInt(const JsonCursor& json) { return json.Int(); }

LayerSide ReadSide(const JsonCursor& json) {
  LayerSide side;
  side.fqn = json.At("fqn").Text();
  const std::optional<JsonCursor> inferred = json.Find("fqn_inferred");
  side.fqn_inferred = inferred && inferred->Bool();
  side.op = json.At("op").Text();
  side.subgraph = json.At("subgraph").Texts();
  return side;
}

WeightComparison ReadWeight(const JsonCursor& json) {
  return {json.At("name").Text(), json.At("shape").Ints(), ReadFigures(json)};
}

OutputComparison ReadOutput(const JsonCursor& json) {
  OutputComparison output;
  output.index = json.At("index").Int();
  output.name = json.At("name").Text();
  output.activation = Optional(json, "activation", ReadActivation);
  output.shadow = Optional(json, "shadow", ReadActivation);
  output.inherited = Optional(json, "inherited", ReadFigures);
  return output;
}

// The share and whether saturation is possible follow from the rest.
PairSaturation ReadSaturation(const JsonCursor& json) {
  PairSaturation saturation;
  saturation.numerics = json.At("numerics").Text();
  saturation.channels = json.At("channels").Int();
  saturation.saturating_channels = json.At("saturating_channels").Int();
  saturation.worst_pair_sum = json.At("worst_pair_sum").Int();
  saturation.outputs = Optional(json, "outputs", ReadInt);
  saturation.saturated = Optional(json, "saturated", ReadInt);
  if (saturation.outputs && !saturation.saturated) {
    json.Refuse("an object with \"saturated\" beside \"outputs\"");
  }
  saturation.sqnr_db = Optional(json, "sqnr_db", ReadNumber);
  saturation.cost_db = Optional(json, "cost_db", ReadNumber);
  saturation.shadow_sqnr_db = Optional(json, "shadow_sqnr_db", ReadNumber);
  saturation.shadow_cost_db = Optional(json, "shadow_cost_db", ReadNumber);
  return saturation;
}

LayerComparison ReadLayer(const JsonCursor& json) {
  LayerComparison layer;
  layer.name = json.At("name").Text();
  layer.float_side = ReadSide(json.At("float"));
  layer.quantized_side = ReadSide(json.At("quantized"));
  layer.output = OptionalText(json, "output");
  layer.unpaired_input = OptionalText(json, "unpaired_input");
  layer.weights = OptionalList(json, "weight", ReadWeight);
  layer.activation = Optional(json, "activation", ReadActivation);
  layer.shadow = Optional(json, "shadow", ReadActivation);
  layer.inherited = Optional(json, "inherited", ReadFigures);
  layer.weight_only = Optional(json, "weight_only", ReadFigures);
  layer.activation_only = Optional(json, "activation_only", ReadFigures);
  layer.kernel = Optional(json, "kernel", ReadActivation);
  layer.outputs = OptionalList(json, "outputs", ReadOutput);
  layer.saturation = Optional(json, "saturation", ReadSaturation);
  return layer;
}

UnmatchedNode ReadUnmatched(const JsonCursor& json) {
  return {json.At("model").Text(), json.At("fqn").Text(), json.At("op").Text(),
          json.At("reason").Text()};
}

NotShadowed ReadReason(const JsonCursor& json) {
  return {json.At("name").Text(), json.At("reason").Text()};
}

StubOutput ReadStubOutput(const JsonCursor& json) {
  return {json.At("index").Int(), json.At("name").Text(), ReadActivation(json)};
}

StubComparison ReadStub(const JsonCursor& json) {
  return {json.At("name").Text(), json.At("float_type").Text(),
          json.At("quantized_type").Text(), ReadActivation(json),
          OptionalList(json, "outputs", ReadStubOutput)};
}

ModuleOutputComparison ReadModuleOutput(const JsonCursor& json) {
  const std::optional<JsonCursor> integers = json.Find("integers");
  return {json.At("name").Text(), OptionalText(json, "float_type"),
          OptionalText(json, "quantized_type"), ReadActivation(json),
          integers && integers->Bool()};
}

LimitCheck ReadLimit(const JsonCursor& json) {
  LimitCheck check;
  const JsonCursor name = json.At("limit");
  const std::optional<LimitKind> kind = LimitKindNamed(name.Text());
  if (!kind) {
    name.Refuse("the name of a limit, such as \"fail-below\"");
  }
  check.kind = kind.value_or(LimitKind::kFailBelow);
  check.layer = OptionalText(json, "layer");
  check.output = OptionalText(json, "output");
  check.figure = OptionalText(json, "figure");
  check.value = json.At("value").Number();
  check.bound = json.At("bound").Number();
  check.tolerance = Optional(json, "tolerance", ReadNumber).value_or(0);
  check.passed = json.At("passed").Bool();
  return check;
}

BaselineLayers ReadBaseline(const JsonCursor& json) {
  return {json.At("path").Text(), json.At("new").Texts(),
          json.At("vanished").Texts()};
}

Flip ReadFlip(const JsonCursor& json) {
  return {json.At("batch").Int(),
          json.At("sample").Int(),
          json.At("label").Int(),
          json.At("float").Int(),
          json.At("quantized").Int(),
          json.At("float_margin").Number(),
          json.At("quantized_margin").Number()};
}

Accuracy ReadAccuracy(const JsonCursor& json) {
  Accuracy accuracy;
  accuracy.samples = json.At("samples").Int();
  accuracy.float_top1 = json.At("float_top1").Number();
  accuracy.quantized_top1 = json.At("quantized_top1").Number();
  accuracy.agreement = json.At("agreement").Number();
  accuracy.difference = json.At("difference").Number();
  const std::vector<double> interval = json.At("interval").Numbers();
  if (interval.size() == 2) {
    accuracy.lowest_difference = interval[0];
    accuracy.highest_difference = interval[1];
  } else {
    json.At("interval").Refuse("a list of two numbers");
  }
  accuracy.lost = json.At("lost").Int();
  accuracy.won = json.At("won").Int();
  accuracy.flipped = json.At("flipped").Int();
  accuracy.flips = ListOf(json.At("flips"), ReadFlip);
  return accuracy;
}

// Layers are told apart by their names.
void CheckNames(const JsonCursor& layers) {
  std::set<std::string> names;
  for (const JsonCursor& layer : layers.Items()) {
    const JsonCursor name = layer.At("name");
    if (!names.insert(name.Text()).second) {
      name.Refuse("a name that no other layer has");
      return;
    }
  }
}

// Whether a layer has the field.
bool HasFigure(const std::vector<LayerComparison>& layers,
               std::optional<ActivationComparison> LayerComparison::*figure) {
  return absl::c_any_of(layers, [&](const LayerComparison& layer) {
    return (layer.*figure).has_value();
  });
}

std::vector<std::string> UserMetricsOf(
    const std::vector<LayerComparison>& layers) {
  std::set<std::string> names;
  for (const LayerComparison& layer : layers) {
    for (const auto* figures :
         {&layer.activation, &layer.shadow, &layer.kernel}) {
      if (figures->has_value()) {
        for (const UserFigure& figure : (*figures)->user_figures) {
          names.insert(figure.metric);
        }
      }
    }
  }
  return {names.begin(), names.end()};
}

ComparisonResult ReadResult(const JsonCursor& json) {
  ComparisonResult result;
  result.float_path = json.At("float").Text();
  result.quantized_path = json.At("quantized").Text();
  result.matching = json.At("matching").Text();
  result.batches = json.At("batches").Int();
  result.reference = OptionalText(json, "reference");
  result.emulated = OptionalText(json, "emulated");
  CheckNames(json.At("layers"));
  result.layers = ListOf(json.At("layers"), ReadLayer);
  result.unmatched = ListOf(json.At("unmatched"), ReadUnmatched);
  result.not_shadowed = ListOf(json.At("not_shadowed"), ReadReason);
  result.no_reference = OptionalList(json, "no_reference", ReadReason);
  result.not_referenced = OptionalList(json, "not_referenced", ReadReason);
  result.not_emulated = OptionalList(json, "not_emulated", ReadReason);
  if (const auto stubs = json.Find("stubs")) {
    result.stubs = ListOf(*stubs, ReadStub);
  }
  if (const auto outputs = json.Find("outputs")) {
    result.outputs = ListOf(*outputs, ReadModuleOutput);
  }
  if (const auto limits = json.Find("limits")) {
    result.limits = ListOf(*limits, ReadLimit);
  }
  result.baseline = Optional(json, "baseline", ReadBaseline);
  result.accuracy = Optional(json, "accuracy", ReadAccuracy);
  result.has_activations =
      HasFigure(result.layers, &LayerComparison::activation);
  result.has_shadows = HasFigure(result.layers, &LayerComparison::shadow);
  result.has_kernels = json.Find("no_reference").has_value() ||
                       HasFigure(result.layers, &LayerComparison::kernel);
  result.user_metrics = UserMetricsOf(result.layers);
  return result;
}

}  // namespace

absl::StatusOr<ComparisonResult> ParseComparison(absl::string_view text,
                                                 absl::string_view source) {
  NS_ASSIGN_OR_RETURN(const nlohmann::json json,
                      Annotated(source, ParseJson(text)));
  absl::Status status;
  const JsonCursor root(json, status);
  const JsonCursor schema = root.At("schema");
  if (schema.Text() != kSchema) {
    schema.Refuse(
        absl::StrCat("'", kSchema, "'; give what ns compare --json wrote"));
  }
  ComparisonResult result;
  if (status.ok()) {
    result = ReadResult(root);
  }
  if (!status.ok()) {
    // Names of the file are part of the message.
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": ", OneLine(status.message(), kMostOfAnError)));
  }
  return result;
}

absl::StatusOr<ComparisonResult> ReadComparison(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kKind));
  return ParseComparison(text, path);
}

}  // namespace ns

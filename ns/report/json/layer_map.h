// Describes the JSON of a layer.
#ifndef NS_REPORT_JSON_LAYER_MAP_H_
#define NS_REPORT_JSON_LAYER_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/source_line.h"
#include "ir/json/json_map.h"
#include "ns/findings/error_breakdown.h"
#include "ns/report/json/figures_map.h"
#include "ns/report/table/change_text.h"
#include "ns/result/comparison_result.h"
#include "ns/result/coverage.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/time_figures.h"
#include "ns/result/tried_change.h"

namespace ns {

template <typename Io>
void Map(Io& io, LayerSide& side) {
  io("fqn", side.fqn);
  io.Optional("fqn_inferred", side.fqn_inferred);
  io("op", side.op);
  io("subgraph", side.subgraph);
}

template <typename Io>
void Map(Io& io, SourceLine& source) {
  io("file", source.file);
  io("line", source.line);
}

// Where the two sides of a layer are in the user's code.
struct LayerSources {
  std::optional<SourceLine> of_float;
  std::optional<SourceLine> of_quantized;
};

template <typename Io>
void Map(Io& io, LayerSources& sources) {
  io.Optional("float", sources.of_float);
  io.Optional("quantized", sources.of_quantized);
}

template <typename Io>
void MapSources(Io& io, LayerSide& float_side, LayerSide& quantized_side) {
  std::optional<LayerSources> sources;
  if (float_side.source || quantized_side.source) {
    sources = LayerSources{float_side.source, quantized_side.source};
  }
  io.Optional("source", sources);
  if constexpr (Io::kReads) {
    if (sources) {
      float_side.source = sources->of_float;
      quantized_side.source = sources->of_quantized;
    }
  }
}

template <typename Io>
void Map(Io& io, LayerFingerprints& fingerprints) {
  io("float", fingerprints.of_float);
  io("quantized", fingerprints.of_quantized);
}

template <typename Io>
void Map(Io& io, LayerTime& time) {
  io("float", time.float_us);
  io("quantized", time.quantized_us);
  io("share", time.share);
}

template <typename Io>
void Map(Io& io, BiasComparison& bias) {
  io("mean_squared_error", bias.mean_squared_error);
  io("missing", bias.is_missing);
}

template <typename Io>
void Map(Io& io, LayerQParams& qparams) {
  io("scale", qparams.scale);
  io("zero_point", qparams.zero_point);
}

// The errors of a layer beside each other (ns/findings/error_breakdown.h), in
// dB.
struct ErrorBreakdown {
  double accumulated_db = 0;
  double local_db = 0;
  double inherited_db = 0;
  std::optional<std::string> dominated_by = {};
};

template <typename Io>
void Map(Io& io, ErrorBreakdown& error) {
  io("accumulated_db", error.accumulated_db);
  io("local_db", error.local_db);
  io("inherited_db", error.inherited_db);
  io.Optional("dominated_by", error.dominated_by);
}

// Absent unless all three errors were measured.
inline std::optional<ErrorBreakdown> BreakdownOf(const LayerComparison& layer) {
  if (!layer.activation || !layer.shadow || !layer.inherited) {
    return std::nullopt;
  }
  ErrorBreakdown error = {layer.activation->error.sqnr_db,
                          layer.shadow->error.sqnr_db,
                          layer.inherited->sqnr_db};
  if (const std::optional<ErrorPart> part = DominantPart(layer)) {
    error.dominated_by = std::string(ErrorPartName(*part));
  }
  return error;
}

// A change that was tried, and what to say of it.
struct DescribedChange {
  std::string change;
  std::optional<double> scale;
  std::optional<int64_t> zero_point;
  double sqnr_db = 0;
  double gain_db = 0;
  std::string text;
};

template <typename Io>
void Map(Io& io, DescribedChange& change) {
  io("change", change.change);
  io.Optional("scale", change.scale);
  io.Optional("zero_point", change.zero_point);
  io("sqnr_db", change.sqnr_db);
  io("gain_db", change.gain_db);
  io("text", change.text);
}

inline std::optional<std::vector<DescribedChange>> DescribedChanges(
    const LayerComparison& layer) {
  std::vector<DescribedChange> changes;
  for (const TriedChange& change : layer.tried_changes) {
    DescribedChange& described = changes.emplace_back();
    described.change = std::string(ChangeKindName(change.kind));
    if (change.qparams) {
      described.scale = change.qparams->scale;
      described.zero_point = change.qparams->zero_point;
    }
    described.sqnr_db = change.sqnr_db;
    described.gain_db = GainDb(layer, change);
    described.text = ChangeText(layer, change);
  }
  return changes.empty() ? std::nullopt : std::optional(changes);
}

// The figures of one kind, where `owner` has any.
template <typename Io, typename Owner>
void MapFigure(Io& io, const FigureKind& kind, const FigurePlace<Owner>& place,
               Owner& owner) {
  if (place.values != nullptr) {
    io.Optional(kind.key, owner.*place.values);
  } else if (place.error != nullptr) {
    io.Optional(kind.key, owner.*place.error);
  }
}

template <typename Io>
void Map(Io& io, OutputComparison& output) {
  io("index", output.index);
  io("name", output.name);
  for (const FigureKind& kind : FigureKinds()) {
    MapFigure(io, kind, kind.of_output, output);
  }
}

template <typename Io>
void Map(Io& io, FloatGain& gain) {
  io("output", gain.output);
  io("before_db", gain.before_db);
  io("after_db", gain.after_db);
  io.Derived("gain_db", [&] { return gain.GainDb(); });
}

template <typename Io>
void Map(Io& io, PairSaturation& saturation) {
  io("numerics", saturation.numerics);
  io.Derived("possible", [&] { return saturation.IsPossible(); });
  io("channels", saturation.channels);
  io("saturating_channels", saturation.saturating_channels);
  io("worst_pair_sum", saturation.worst_pair_sum);
  io.Optional("outputs", saturation.outputs);
  io.Optional("saturated", saturation.saturated);
  io.Check(saturation.outputs.has_value() == saturation.saturated.has_value(),
           "an object with \"saturated\" beside \"outputs\"");
  io.Derived("share", [&] { return saturation.Share(); });
  io.Optional("sqnr_db", saturation.sqnr_db);
  io.Optional("cost_db", saturation.cost_db);
  io.Optional("shadow_sqnr_db", saturation.shadow_sqnr_db);
  io.Optional("shadow_cost_db", saturation.shadow_cost_db);
}

template <typename Io>
void Map(Io& io, LayerComparison& layer) {
  io("name", layer.name);
  io("float", layer.float_side);
  io("quantized", layer.quantized_side);
  MapSources(io, layer.float_side, layer.quantized_side);
  io.Derived("runs_in", [&] {
    return layer.runs_in
               ? std::optional<std::string>(RunsInName(*layer.runs_in))
               : std::nullopt;
  });
  io.Optional("output", layer.output);
  io.Optional("unpaired_input", layer.unpaired_input);
  io.Optional("weight", layer.weights);
  io.Optional("has_weight_of", layer.has_weight_of);
  io.Optional("shares_weight_with", layer.shares_weight_with);
  io.Optional("bias", layer.bias);
  io.Optional("qparams", layer.qparams);
  for (const FigureKind& kind : FigureKinds()) {
    MapFigure(io, kind, kind.of_layer, layer);
  }
  io.Optional("exchanged_axes", layer.exchanged_axes);
  io.Derived("error", [&] { return BreakdownOf(layer); });
  io.Optional("output_share", layer.output_share);
  io.Derived("tried_changes", [&] { return DescribedChanges(layer); });
  io.Optional("in_float", layer.in_float);
  io.Optional("time_us", layer.time);
  io.Optional("fingerprint", layer.fingerprints);
  io.Optional("outputs", layer.outputs);
  io.Optional("saturation", layer.saturation);
}

}  // namespace ns

#endif  // NS_REPORT_JSON_LAYER_MAP_H_

#include "ns/report/json/diff_json.h"

#include <cstdint>
#include <string>
#include <vector>

#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/report/json/layer_map.h"
#include "ns/report/json/limits_map.h"

namespace ns {
namespace {

// What is written of a layer: its changes come one after the other.
struct ChangedLayer {
  std::string name;
  std::vector<FigureChange> figures;
};

// A number of each of the two comparisons.
struct BothCounts {
  int64_t a = 0;
  int64_t b = 0;
};

struct DiffDocument {
  const DiffPaths& paths;
  const ComparisonDiff& diff;
  const std::vector<LimitCheck>& limits;
};

std::vector<ChangedLayer> ChangedLayers(
    const std::vector<FigureChange>& changes) {
  std::vector<ChangedLayer> layers;
  for (const FigureChange& change : changes) {
    if (change.IsSame()) {
      continue;
    }
    if (layers.empty() || layers.back().name != change.layer) {
      layers.push_back({change.layer, {}});
    }
    layers.back().figures.push_back(change);
  }
  return layers;
}

template <typename Io>
void MapFigure(Io& io, DiffedFigure& figure) {
  io("figure", figure.figure);
  io.Optional("part", figure.part);
}

template <typename Io>
void Map(Io& io, ChangedLayer& layer) {
  io("name", layer.name);
  io("figures", layer.figures);
}

template <typename Io>
void Map(Io& io, BothCounts& counts) {
  io("a", counts.a);
  io("b", counts.b);
}

template <typename Io>
void Map(Io& io, DiffDocument& document) {
  const ComparisonDiff& diff = document.diff;
  io.Schema("ns.diff/1", "what ns diff --json wrote");
  io("a", document.paths.a);
  io("b", document.paths.b);
  io.Derived("equal", [&] { return diff.IsEmpty(); });
  io.Derived("layers", [&] { return ChangedLayers(diff.changes); });
  io("figures_only_a", diff.figures_only_a);
  io("figures_only_b", diff.figures_only_b);
  io("new", diff.only_b);
  io("vanished", diff.only_a);
  io.Derived("unmatched", [&] {
    return BothCounts{static_cast<int64_t>(diff.unmatched_a),
                      static_cast<int64_t>(diff.unmatched_b)};
  });
  io.Derived("batches", [&] {
    return BothCounts{diff.batches_a, diff.batches_b};
  });
  io.Optional("different_bits", diff.bits);
  io.Optional("qparams", diff.qparams);
  io.Optional("limits", document.limits);
}

}  // namespace

template <typename Io>
void Map(Io& io, DiffedFigure& figure) {
  io("name", figure.layer);
  MapFigure(io, figure);
}

template <typename Io>
void Map(Io& io, FigureChange& change) {
  MapFigure(io, change);
  io("a_db", change.a);
  io("b_db", change.b);
  io.Derived("change_db", [&] { return change.Change(); });
  io("tolerance_db", change.tolerance);
}

template <typename Io>
void Map(Io& io, BitChanges& bits) {
  io("layers", bits.compared);
  io("float", bits.in_float);
  io("quantized", bits.in_quantized);
}

template <typename Io>
void Map(Io& io, QParamsChange& change) {
  io("name", change.layer);
  io("a", change.a);
  io("b", change.b);
}

std::string ToDiffJson(const ComparisonDiff& diff, const DiffPaths& paths,
                       const std::vector<LimitCheck>& checks) {
  return WriteJson(DiffDocument{paths, diff, checks});
}

}  // namespace ns

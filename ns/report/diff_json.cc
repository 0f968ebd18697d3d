#include "ns/report/diff_json.h"

#include <utility>

#include "ns/report/json_verdicts.h"
#include "ns/report/json_writer.h"

namespace ns {
namespace {

void WriteFigure(JsonWriter& json, const DiffedFigure& figure) {
  json.Member("figure", figure.figure);
  if (!figure.part.empty()) {
    json.Member("part", figure.part);
  }
}

void WriteChange(JsonWriter& json, const FigureChange& change) {
  json.BeginObject();
  WriteFigure(json, change);
  json.Member("a_db", change.a);
  json.Member("b_db", change.b);
  json.Member("change_db", change.Change());
  json.Member("tolerance_db", change.tolerance);
  json.EndObject();
}

void WriteLayers(JsonWriter& json, const std::vector<FigureChange>& changes) {
  json.Key("layers");
  json.BeginArray();
  // The changes of a layer stand together.
  std::string layer;
  bool is_open = false;
  const auto close = [&] {
    if (is_open) {
      json.EndArray();
      json.EndObject();
      is_open = false;
    }
  };
  for (const FigureChange& change : changes) {
    if (change.IsSame()) {
      continue;
    }
    if (!is_open || change.layer != layer) {
      close();
      json.BeginObject();
      json.Member("name", change.layer);
      json.Key("figures");
      json.BeginArray();
      layer = change.layer;
      is_open = true;
    }
    WriteChange(json, change);
  }
  close();
  json.EndArray();
}

void WriteOneSided(JsonWriter& json, absl::string_view key,
                   const std::vector<DiffedFigure>& figures) {
  json.Key(key);
  json.BeginArray();
  for (const DiffedFigure& figure : figures) {
    json.BeginObject();
    json.Member("name", figure.layer);
    WriteFigure(json, figure);
    json.EndObject();
  }
  json.EndArray();
}

void WritePair(JsonWriter& json, absl::string_view key, int64_t a, int64_t b) {
  json.Key(key);
  json.BeginObject();
  json.Member("a", a);
  json.Member("b", b);
  json.EndObject();
}

}  // namespace

std::string ToDiffJson(const ComparisonDiff& diff, const DiffPaths& paths,
                       const std::vector<LimitCheck>& checks) {
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", "ns.diff/1");
  json.Member("a", paths.a);
  json.Member("b", paths.b);
  json.Key("equal");
  json.Bool(diff.IsEmpty());
  WriteLayers(json, diff.changes);
  WriteOneSided(json, "figures_only_a", diff.figures_only_a);
  WriteOneSided(json, "figures_only_b", diff.figures_only_b);
  json.Member("new", diff.only_b);
  json.Member("vanished", diff.only_a);
  WritePair(json, "unmatched", static_cast<int64_t>(diff.unmatched_a),
            static_cast<int64_t>(diff.unmatched_b));
  WritePair(json, "batches", diff.batches_a, diff.batches_b);
  if (!checks.empty()) {
    WriteLimits(json, checks);
  }
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns

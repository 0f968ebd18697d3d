#include "ns/search/search_json.h"

#include <optional>
#include <string>
#include <vector>

#include "ir/json/json_map.h"
#include "ir/json/write_json.h"

namespace ns {
namespace {

struct SearchDocument {
  const SearchResult& result;
  const std::string& float_path;
  const std::string& out_path;
};

// One choice of a layer, and its time.
struct ChoiceTime {
  std::string name;
  double time_us = 0;
};

template <typename Io>
void Map(Io& io, ChoiceTime& choice) {
  io("name", choice.name);
  io("time_us", choice.time_us);
}

// The accuracy of a recipe on labelled samples.
struct Top1Summary {
  PairedCounts counts;
  double p_value = 0;
};

template <typename Io>
void Map(Io& io, Top1Summary& top1) {
  io("samples", top1.counts.samples);
  io("float_correct", top1.counts.float_correct);
  io("quantized_correct", top1.counts.quantized_correct);
  io("lost", top1.counts.lost);
  io("won", top1.counts.won);
  io.Derived("drop", [&] { return top1.counts.drop(); });
  io("p_value", top1.p_value);
}

std::optional<Top1Summary> Top1Of(const VerifiedRecipe& verified) {
  return verified.top1
             ? std::optional(Top1Summary{*verified.top1, verified.p_value})
             : std::nullopt;
}

template <typename Io>
void Map(Io& io, SearchDocument& document) {
  const SearchResult& result = document.result;
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  io.Schema("ns.search/1", "what ns search --json wrote");
  io("float", document.float_path);
  io("out", document.out_path);
  io("batches", result.batches);
  io.Object("budget", [&](auto& budget) {
    budget.Optional("sqnr_db", result.budget_db);
    budget.Optional("max_drop", result.max_drop);
  });
  io("candidates", result.candidates);
  io("layers", result.layers);
  io.Object("rest", [&](auto& rest) {
    rest("noise_share", result.rest.noise_share);
    rest("time_us", result.rest.time_us);
  });
  io("skipped", result.skipped);
  io("pareto", result.pareto);
  io("verified", result.verified);
  io.Object("predicted", [&](auto& predicted) {
    predicted("sqnr_db", chosen.predicted_db);
    predicted("time_us", chosen.predicted_us);
  });
  io.Object("measured", [&](auto& measured) {
    measured("sqnr_db", chosen.measured_db);
    measured("time_us", result.measured_us);
    measured("float_time_us", result.float_us);
    measured("batches", result.measured_batches);
    measured.Derived("top1", [&] { return Top1Of(chosen); });
  });
  io.Object("passes", [&](auto& passes) {
    passes("float", result.float_passes);
    passes("quantized", result.quantized_passes);
  });
  io("warnings", result.warnings);
}

}  // namespace

template <typename Io>
void Map(Io& io, SearchedLayer& layer) {
  io("name", layer.name);
  io("op", layer.op);
  io("choice", layer.choice);
  io("noise_share", layer.noise_share);
  io("time_us", layer.time_us);
  io.Derived("choices", [&] {
    std::vector<ChoiceTime> choices;
    for (const auto& [name, time_us] : layer.times_us) {
      choices.push_back({name, time_us});
    }
    return choices;
  });
}

template <typename Io>
void Map(Io& io, SkippedChoice& skipped) {
  io("name", skipped.layer);
  io("candidate", skipped.candidate);
  io("reason", skipped.reason);
}

template <typename Io>
void Map(Io& io, ParetoPoint& point) {
  io("sqnr_db", point.sqnr_db);
  io("time_us", point.time_us);
  io("int8_layers", point.int8_layers);
  io("measured", point.is_measured);
  io.Optional("chosen", point.is_chosen);
}

template <typename Io>
void Map(Io& io, VerifiedRecipe& verified) {
  io("predicted_db", verified.predicted_db);
  io("measured_db", verified.measured_db);
  io("predicted_us", verified.predicted_us);
  io.Derived("top1", [&] { return Top1Of(verified); });
  io("keeps_budget", verified.keeps_budget);
}

std::string SearchJson(const SearchResult& result,
                       const std::string& float_path,
                       const std::string& out_path) {
  return WriteJson(SearchDocument{result, float_path, out_path});
}

}  // namespace ns

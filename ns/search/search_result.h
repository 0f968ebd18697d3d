// Holds what a search for a mixed-precision recipe has found.
#ifndef NS_SEARCH_SEARCH_RESULT_H_
#define NS_SEARCH_SEARCH_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ns/accuracy/paired_counts.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/search_space.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// A layer that had a choice.
struct SearchedLayer {
  std::string name;
  std::string op;
  // kFloatChoice (search_candidates.h), or the name of a candidate.
  std::string choice;
  // Its part of the predicted noise, from 0 to 1: what it does by itself, over
  // the sum of that of all layers.
  double noise_share = 0;
  // In microseconds for one batch, without the casts around it.
  double time_us = 0;
  // The same for all its choices, float first.
  std::vector<std::pair<std::string, double>> times_us;
};

// What the recipe does and takes that is not of a layer with a choice: layers
// without one (pools, layers that are kept in float or have no kernel), other
// ops, and the casts where float and int8 meet.
struct RestOfRecipe {
  double noise_share = 0;
  double time_us = 0;
};

// A recipe that no other one beats in both figures.
struct ParetoPoint {
  // As it was measured, if `is_measured`; else as it is predicted, corrected by
  // all that was measured.
  double sqnr_db = 0;
  // In microseconds for one batch, as predicted.
  double time_us = 0;
  // How many of the layers with a choice run in int8.
  int64_t int8_layers = 0;
  bool is_measured = false;
  // Whether it is the recipe of the model that was made.
  bool is_chosen = false;
};

// A recipe that was run.
struct VerifiedRecipe {
  RecipeChoices choices;
  // The lowest SQNR in dB of all outputs, over the batches that it was measured
  // on, as it was predicted and as it was then measured. Behind the first
  // recipe, predictions are corrected by what was measured of those before
  // (noise_correction.h). Nan where an output has a nan, or cannot be compared.
  double predicted_db = 0;
  double measured_db = 0;
  // In microseconds for one batch, as predicted.
  double predicted_us = 0;
  // With labels: top-1 of both models, and the probability that a model whose
  // true drop is the limit loses as many samples by chance.
  std::optional<PairedCounts> top1;
  double p_value = 1;
  // Whether it keeps the budget.
  bool keeps_budget = false;
};

struct SearchResult {
  // The model of the chosen recipe; always there in what Search returns.
  std::optional<QuantizedModel> quantized;
  // The mapping with which `ns quantize` makes the same model. Each of its
  // rules chooses a layer.
  QConfigMapping mapping;

  // The limit, one of the two: the least SQNR in dB, or the largest drop of
  // top-1 in points.
  std::optional<double> budget_db;
  std::optional<double> max_drop;
  std::vector<std::string> candidates;
  std::vector<SearchedLayer> layers;
  RestOfRecipe rest;
  // The candidates that a layer, or all layers, cannot have, and why.
  std::vector<SkippedChoice> skipped;
  // By rising time. The chosen recipe is among them, unless its outputs were
  // not comparable.
  std::vector<ParetoPoint> pareto;
  // In the order in which they were run.
  std::vector<VerifiedRecipe> verified;
  // The index of the recipe of `quantized` in `verified`.
  size_t chosen = 0;
  // The least time in microseconds of several runs on one batch, of the float
  // model and of the chosen one, lowered to ns kernels.
  double float_us = 0;
  double measured_us = 0;
  int64_t batches = 0;
  // On how many of them SQNRs were measured.
  int64_t measured_batches = 0;
  // How often the float model and quantized models have run over the batches: a
  // run over half of them is half a pass. Timing, a few runs on one batch, does
  // not count.
  double float_passes = 0;
  double quantized_passes = 0;
  // For the user's eyes, one line each.
  std::vector<std::string> warnings;
};

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_RESULT_H_

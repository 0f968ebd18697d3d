#include "ns/quantization/try_headroom.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/batches/output_tensors.h"
#include "ns/quantization/model/target_error.h"
#include "ns/quantization/quantize_once.h"
#include "ns/quantization/quantize_result.h"

namespace ns {
namespace {

constexpr int64_t kLeastBatches = 3;
// With more, a larger one is too rare to be paid for by all.
constexpr int64_t kMostBatches = 16;
constexpr double kLeastGrowth = 1.1;
// So many standard deviations of its size make a batch larger than chance does.
constexpr double kDeviations = 4;
constexpr double kMostHeadroom = 2;

// One float input of a batch.
struct InputSize {
  double root_mean_square = 0;
  // The standard deviation of that, as a part of it, if all values were drawn
  // independently from where these come from. (It is half that of the mean
  // square.)
  double deviation = 0;
  int64_t batch = 0;

  friend bool operator<(const InputSize& a, const InputSize& b) {
    return a.root_mean_square < b.root_mean_square;
  }
};

// `values` has elements.
InputSize SizeOf(const at::Tensor& values) {
  const at::Tensor squares = values.to(at::kDouble).square();
  const double mean = squares.mean().item<double>();
  const double variance = squares.var(/*unbiased=*/false).item<double>();
  return {std::sqrt(mean),
          std::sqrt(variance / static_cast<double>(values.numel())) / mean / 2};
}

// By the place in the batch.
using InputSizes = std::map<std::string, InputSize>;

void AddSizes(const std::string& name, const c10::IValue& value,
              InputSizes& sizes) {
  for (const auto& [place, tensor] : FloatOutputs(value)) {
    if (tensor.numel() > 0) {
      sizes[absl::StrCat(name, " ", place)] = SizeOf(tensor);
    }
  }
}

InputSizes SizesOf(const Batch& batch) {
  InputSizes sizes;
  for (size_t i = 0; i < batch.arguments.size(); ++i) {
    AddSizes(absl::StrCat(i), batch.arguments[i], sizes);
  }
  for (const auto& [name, value] : batch.keywords) {
    AddSizes(name, value, sizes);
  }
  return sizes;
}

struct Growth {
  // The largest batch, and how many times as large as the second it is; 1 where
  // it is not larger by more than chance.
  int64_t batch = 0;
  double factor = 1;
  // Whether each batch is larger than the one before.
  bool is_steady = false;
};

Growth GrowthOf(const std::vector<Batch>& batches) {
  // One input in all batches that have it.
  std::map<std::string, std::vector<InputSize>> inputs;
  for (size_t i = 0; i < batches.size(); ++i) {
    for (auto [place, size] : SizesOf(batches[i])) {
      size.batch = static_cast<int64_t>(i);
      inputs[place].push_back(size);
    }
  }
  Growth most;
  for (auto& [place, sizes] : inputs) {
    if (sizes.size() < batches.size()) {
      continue;
    }
    const bool is_steady = std::is_sorted(sizes.begin(), sizes.end());
    std::sort(sizes.begin(), sizes.end());
    const InputSize& largest = sizes[sizes.size() - 1];
    const double factor =
        largest.root_mean_square / sizes[sizes.size() - 2].root_mean_square;
    // False for nan.
    if (std::isfinite(factor) && factor >= most.factor &&
        factor >= kLeastGrowth &&
        factor >= 1 + kDeviations * largest.deviation) {
      most = {largest.batch, factor, is_steady};
    }
  }
  return most;
}

// The worst output over `all` of a model that has seen `some`.
absl::StatusOr<double> WorstDb(const ModelGraph& float_model,
                               const BatchReader& some,
                               const QuantizeOptions& options,
                               TargetError& error) {
  NS_ASSIGN_OR_RETURN(const QuantizeResult result,
                      QuantizeOnce(float_model, some, options));
  return error.WorstDb(result.quantized, options);
}

}  // namespace

absl::StatusOr<std::optional<HeadroomTrial>> TryHeadroom(
    const ModelGraph& float_model, const BatchReader& batches,
    const QuantizeOptions& options) {
  if (!options.methods.choose_headroom || options.mapping || options.compat ||
      options.reference || options.mode != QuantizeMode::kStatic ||
      batches.size() < kLeastBatches || batches.size() > kMostBatches) {
    return std::nullopt;
  }
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> all, batches.ReadAll());
  const Growth growth = GrowthOf(all);
  if (growth.factor == 1) {
    return std::nullopt;
  }
  std::vector<Batch> others = all;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(growth.batch));
  const BatchReader some = BatchReader::FromBatches(std::move(others));
  QuantizeOptions without = options;
  without.progress = nullptr;
  without.methods = {};
  without.methods.choose_ranges = options.methods.choose_ranges;
  QuantizeOptions with = without;
  const double headroom = std::pow(growth.factor, growth.is_steady ? 2 : 1);
  // Two digits: so it is shown, and can be typed.
  with.headroom = std::min(std::ceil(headroom * 100) / 100, kMostHeadroom);
  TargetError error(float_model, all);
  HeadroomTrial trial;
  trial.batch = growth.batch;
  trial.factor = with.headroom;
  NS_ASSIGN_OR_RETURN(trial.without_db,
                      WorstDb(float_model, some, without, error));
  NS_ASSIGN_OR_RETURN(trial.with_db, WorstDb(float_model, some, with, error));
  return trial;
}

}  // namespace ns

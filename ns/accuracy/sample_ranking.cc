#include "ns/accuracy/sample_ranking.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/accuracy/class_labels.h"
#include "ns/accuracy/class_scores.h"

namespace ns {
namespace {

std::string ShapeOf(const at::Tensor& tensor) {
  return tensor.defined()
             ? absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]")
             : "no tensor of floats";
}

// The norm of each sample.
at::Tensor Norms(const at::Tensor& values) {
  return values.reshape({values.size(0), -1}).norm(2, /*dim=*/1);
}

// The SQNR in dB of each sample: inf where both are equal.
at::Tensor SqnrDb(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor error = Norms(x - y);
  return at::log10(Norms(x) / error)
      .mul(20)
      .masked_fill(error.eq(0), std::numeric_limits<double>::infinity());
}

}  // namespace

absl::Status SampleRanking::Add(int64_t samples, const c10::IValue& of_float,
                                const c10::IValue& of_quantized) {
  const at::Tensor x = ScoresIn(of_float);
  const at::Tensor y = ScoresIn(of_quantized);
  const bool has_samples = x.defined() && y.defined() && x.dim() > 0 &&
                           x.sizes() == y.sizes() && x.size(0) == samples;
  if (!has_samples) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the float model returns ", ShapeOf(x), " and the quantized one ",
        ShapeOf(y), ", and finding samples needs an entry for each of ",
        samples, " in their first tensor; give their numbers instead"));
  }
  if (samples == 0) {
    return absl::OkStatus();
  }
  return CatchTorchErrors([&] {
    const at::Tensor sqnr_db = SqnrDb(x.to(at::kDouble), y.to(at::kDouble));
    at::Tensor flips;
    if (AreClassScores(x, y)) {
      flips = ClassesOf(x).ne(ClassesOf(y));
    } else if (no_scores_.empty()) {
      no_scores_ = ShapeOf(x);
    }
    for (int64_t i = 0; i < samples; ++i) {
      samples_.push_back({flips.defined() && flips[i].item<bool>(),
                          sqnr_db[i].item<double>()});
    }
  });
}

absl::StatusOr<std::vector<int64_t>> SampleRanking::Flipped() const {
  if (!no_scores_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the models return ", no_scores_,
                     ", and samples that flip need scores [samples, classes]"));
  }
  std::vector<int64_t> flipped;
  for (size_t i = 0; i < samples_.size(); ++i) {
    if (samples_[i].flips) {
      flipped.push_back(static_cast<int64_t>(i));
    }
  }
  return flipped;
}

std::vector<int64_t> SampleRanking::Worst(int64_t count) const {
  std::vector<int64_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rank = [&](int64_t sample) {
    const double db = samples_[static_cast<size_t>(sample)].sqnr_db;
    return std::isnan(db) ? -HUGE_VAL : db;
  };
  absl::c_stable_sort(order,
                      [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  absl::c_sort(order);
  return order;
}

}  // namespace ns

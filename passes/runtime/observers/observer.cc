#include "passes/runtime/observers/observer.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "passes/runtime/is_dense.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

bool IsSinglePixel(const at::Tensor& x) {
  const at::IntArrayRef sizes = x.sizes();
  return (x.dim() == 4 || x.dim() == 5) &&
         std::all_of(sizes.begin() + 2, sizes.end(),
                     [](int64_t size) { return size == 1; });
}

}  // namespace

at::Tensor Observer::Forward(const at::Tensor& x) {
  if (!x.defined() || !IsDense(x) || x.numel() == 0) {
    return x;
  }
  TORCH_CHECK(!x.is_quantized(), Name(),
              " takes real values; this tensor has dtype ",
              c10::toString(x.scalar_type()));
  if (!x.is_complex()) {
    const at::NoGradGuard no_grad;
    Observe(x.detach());
  }
  Note(x);
  return x;
}

void Observer::Note(const at::Tensor& x) {
  const bool is_float = x.is_floating_point() || x.is_complex();
  Join({x.dim(), !is_float, is_float && x.scalar_type() != at::kFloat,
        x.numel(), x.dim(), IsSinglePixel(x)});
}

void Observer::Join(const SeenTensors& seen) {
  if (seen_.least_rank < 0 ||
      (seen.least_rank >= 0 && seen.least_rank < seen_.least_rank)) {
    seen_.least_rank = seen.least_rank;
  }
  seen_.has_integers |= seen.has_integers;
  seen_.has_other_floats |= seen.has_other_floats;
  seen_.values += seen.values;
  seen_.greatest_rank = std::max(seen_.greatest_rank, seen.greatest_rank);
  seen_.has_single_pixels |= seen.has_single_pixels;
}

void Observer::Reset() {
  seen_ = {};
  Clear();
}

void Observer::Merge(const Observer& other) {
  TORCH_CHECK(config_ == other.config_, Name(),
              " cannot take in what an observer with another config has seen (",
              other.Name(), ")");
  MergeSame(other);
  Join(other.seen());
}

std::string Observer::Name() const {
  return absl::StrCat("observer '", ObserverKindName(config_.kind), "'");
}

const at::Tensor& Observer::Entry(const ObserverState& state,
                                  const std::string& name) const {
  const auto found = state.find(name);
  TORCH_CHECK(found != state.end(), Name(), ": its state has no '", name, "'");
  return found->second;
}

at::Tensor FloatsOf(const at::Tensor& x) {
  const at::Tensor floats = x.to(at::kFloat);
  return floats.is_non_overlapping_and_dense() ? floats : floats.contiguous();
}

}  // namespace ns

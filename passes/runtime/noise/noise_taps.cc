#include "passes/runtime/noise/noise_taps.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace ns {
namespace {

at::Tensor Rounded(const at::Tensor& x, const RoundingEvent& event) {
  return FakeQuantized(x.detach(), event.qparams, event.config);
}

}  // namespace

void NoiseTap::Begin() {
  calls_ = 0;
  if (IsNoisy()) {
    errors_ = std::make_shared<Errors>();
  }
}

namespace {

// Returns `x` plus `error`. Where rounding moves an infinite value into the
// range, as that of a mask, it does so by as much, and the sum would be nan:
// `x` stays.
at::Tensor WithError(const at::Tensor& x, const at::Tensor& error) {
  return x + error.masked_fill(error.isinf(), 0);
}

}  // namespace

void NoiseTap::SetErrors(size_t first, const std::vector<at::Tensor>& errors) {
  if (errors_->size() <= calls_) {
    errors_->resize(calls_ + 1, std::vector<at::Tensor>(events_.size()));
  }
  std::copy(errors.begin(), errors.end(),
            (*errors_)[calls_].begin() + static_cast<ptrdiff_t>(first));
}

at::Tensor NoiseTap::Tapped(const at::Tensor& x) {
  at::Tensor tapped =
      x.requires_grad() ? x.view_as(x) : x.detach().requires_grad_();
  std::vector<int> numbers;
  for (const RoundingEvent& event : events_) {
    numbers.push_back(event.event);
  }
  tapped.register_hook([numbers, call = calls_++, errors = errors_,
                        record = record_](const at::Tensor& gradient) {
    for (size_t i = 0; call < errors->size() && i < numbers.size(); ++i) {
      const at::Tensor& error = (*errors)[call][i];
      if (error.defined() && error.sizes() == gradient.sizes()) {
        record->rows.Add(numbers[i], gradient, error);
      }
    }
  });
  return tapped;
}

at::Tensor LayerNoiseTap::Forward(const at::Tensor& y,
                                  const std::vector<at::Tensor>& others) {
  if (!y.is_floating_point()) {
    return y;
  }
  std::vector<at::Tensor> errors;
  {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < others.size(); ++i) {
      errors.push_back(Rounded(others[i], events()[i]) - y.detach());
    }
  }
  SetErrors(IsNoisy() ? 0 : others.size(), errors);
  return Tapped(IsNoisy() && rounds() ? WithError(y, errors.front()) : y);
}

at::Tensor RoundedInput::Forward(const at::Tensor& x) const {
  return record_->run == NoiseRun::kNoisy || !x.is_floating_point()
             ? x.detach()
             : Rounded(x, rounding_);
}

at::Tensor EdgeNoiseTap::Forward(const at::Tensor& x) {
  if (!x.is_floating_point()) {
    return x;
  }
  if (IsNoisy()) {
    return Tapped(
        rounds() ? WithError(x, Rounded(x, events().front()) - x.detach()) : x);
  }
  std::vector<at::Tensor> errors;
  {
    const at::NoGradGuard no_grad;
    for (const RoundingEvent& event : events()) {
      errors.push_back(Rounded(x, event) - x.detach());
    }
  }
  SetErrors(0, errors);
  return Tapped(x);
}

namespace {

const auto layer_tap =
    torch::class_<LayerNoiseTap>("ns", "LayerNoiseTap")
        .def("forward", [](const LayerNoiseTapPtr& self, const at::Tensor& y,
                           const std::vector<at::Tensor>& others) {
          return self->Forward(y, others);
        });

const auto rounded_input =
    torch::class_<RoundedInput>("ns", "RoundedInput")
        .def("forward", [](const RoundedInputPtr& self, const at::Tensor& x) {
          return self->Forward(x);
        });

const auto edge_tap =
    torch::class_<EdgeNoiseTap>("ns", "EdgeNoiseTap")
        .def("forward", [](const EdgeNoiseTapPtr& self, const at::Tensor& x) {
          return self->Forward(x);
        });

}  // namespace
}  // namespace ns

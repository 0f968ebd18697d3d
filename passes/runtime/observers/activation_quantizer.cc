#include "passes/runtime/observers/activation_quantizer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace ns {
namespace {

using Quantizer = c10::intrusive_ptr<ActivationQuantizer>;
// Options, what was observed, whether it is converted.
using State = std::tuple<std::vector<int64_t>, std::vector<double>, bool>;

std::pair<float, float> RangeOf(const at::Tensor& x) {
  at::Tensor min;
  at::Tensor max;
  std::tie(min, max) = x.aminmax();
  return {min.item<float>(), max.item<float>()};
}

bool IsFinite(const std::pair<float, float>& range) {
  return std::isfinite(range.first) && std::isfinite(range.second);
}

// `x` without nan and inf, which would make any range useless.
at::Tensor FiniteOnly(const at::Tensor& x) {
  return x.masked_select(x.isfinite());
}

State Save(const Quantizer& self) {
  const ActivationConfig& options = self->options();
  return State({static_cast<int64_t>(options.scheme),
                static_cast<int64_t>(options.observer), options.quant_min,
                options.quant_max, options.symmetric ? 1 : 0},
               self->ObservedState(), self->IsConverted());
}

Quantizer Load(const State& state) {
  const auto& [saved, observed, converted] = state;
  TORCH_CHECK(saved.size() == 5, "an ActivationQuantizer was saved with ",
              saved.size(), " options; this version has 5");
  ActivationConfig options;
  options.scheme = static_cast<ActivationScheme>(saved[0]);
  options.observer = static_cast<ActivationObserver>(saved[1]);
  options.quant_min = saved[2];
  options.quant_max = saved[3];
  options.symmetric = saved[4] != 0;
  auto quantizer = c10::make_intrusive<ActivationQuantizer>(options);
  quantizer->SetObservedState(observed);
  if (converted) {
    quantizer->Convert();
  }
  return quantizer;
}

std::vector<at::Tensor> QuantizeList(const Quantizer& self,
                                     const std::vector<at::Tensor>& list) {
  std::vector<at::Tensor> quantized;
  quantized.reserve(list.size());
  for (const at::Tensor& x : list) {
    quantized.push_back(self->Quantize(x));
  }
  return quantized;
}

const auto kRegistration =
    torch::class_<ActivationQuantizer>("ns", "ActivationQuantizer")
        .def("observe", [](const Quantizer& self,
                           const at::Tensor& x) { self->Observe(x); })
        .def("observe_list",
             [](const Quantizer& self, const std::vector<at::Tensor>& list) {
               for (const at::Tensor& x : list) {
                 self->Observe(x);
               }
             })
        .def("forward", [](const Quantizer& self,
                           const at::Tensor& x) { return self->Quantize(x); })
        .def("forward_list", QuantizeList)
        .def("convert", [](const Quantizer& self) { self->Convert(); })
        .def("is_converted",
             [](const Quantizer& self) { return self->IsConverted(); })
        .def("scale",
             [](const Quantizer& self) { return self->Calibrated().scale; })
        .def(
            "zero_point",
            [](const Quantizer& self) { return self->Calibrated().zero_point; })
        .def_pickle([](const Quantizer& self) { return Save(self); },
                    [](const State& state) { return Load(state); });

}  // namespace

void ActivationQuantizer::Observe(const at::Tensor& x) {
  if (converted_ || options_.scheme != ActivationScheme::kStatic ||
      !x.is_floating_point() || x.numel() == 0) {
    return;
  }
  at::NoGradGuard no_grad;
  at::Tensor value = x.detach().to(at::kFloat);
  std::pair<float, float> range = RangeOf(value);
  if (!IsFinite(range)) {
    value = FiniteOnly(value);
    if (value.numel() == 0) {
      return;
    }
    range = RangeOf(value);
  }
  if (options_.observer == ActivationObserver::kHistogram) {
    histogram_.Add(value);
    has_seen_values_ = true;
    return;
  }
  const auto [min, max] = range;
  min_ = has_seen_values_ ? std::min(min_, min) : min;
  max_ = has_seen_values_ ? std::max(max_, max) : max;
  has_seen_values_ = true;
}

void ActivationQuantizer::Convert() {
  qparams_ = Calibrated();
  converted_ = true;
}

QParams ActivationQuantizer::FromRange(float min, float max) const {
  return ChooseQParams(min, max, options_.quant_min, options_.quant_max,
                       options_.symmetric);
}

QParams ActivationQuantizer::OwnRange(const at::Tensor& x) const {
  std::pair<float, float> range = RangeOf(x);
  if (!IsFinite(range)) {
    const at::Tensor finite = FiniteOnly(x);
    range = finite.numel() == 0 ? std::pair(0.0F, 0.0F) : RangeOf(finite);
  }
  return FromRange(range.first, range.second);
}

QParams ActivationQuantizer::Calibrated() const {
  if (options_.observer == ActivationObserver::kHistogram) {
    const auto [min, max] =
        histogram_.BestRange(options_.quant_max - options_.quant_min);
    return FromRange(min, max);
  }
  return FromRange(min_, max_);
}

at::Tensor ActivationQuantizer::Quantize(const at::Tensor& x) const {
  if (!converted_ || options_.scheme == ActivationScheme::kNone ||
      !x.is_floating_point() || x.numel() == 0) {
    return x;
  }
  at::NoGradGuard no_grad;
  if (options_.scheme == ActivationScheme::kHalf) {
    return x.to(at::kHalf).to(x.scalar_type());
  }
  const at::Tensor value = x.to(at::kFloat);
  const bool calibrated =
      options_.scheme == ActivationScheme::kStatic && has_seen_values_;
  const QParams qparams = calibrated ? qparams_ : OwnRange(value);
  return at::fake_quantize_per_tensor_affine(
             value, qparams.scale, qparams.zero_point, options_.quant_min,
             options_.quant_max)
      .to(x.scalar_type());
}

std::vector<double> ActivationQuantizer::ObservedState() const {
  if (!has_seen_values_) {
    return {};
  }
  return options_.observer == ActivationObserver::kHistogram
             ? histogram_.State()
             : std::vector<double>{min_, max_};
}

void ActivationQuantizer::SetObservedState(const std::vector<double>& state) {
  has_seen_values_ = !state.empty();
  if (options_.observer == ActivationObserver::kHistogram) {
    histogram_ = ActivationHistogram::FromState(state);
  } else if (has_seen_values_) {
    TORCH_CHECK(state.size() == 2, "a range was saved with ", state.size(),
                " numbers");
    min_ = static_cast<float>(state[0]);
    max_ = static_cast<float>(state[1]);
  }
}

}  // namespace ns

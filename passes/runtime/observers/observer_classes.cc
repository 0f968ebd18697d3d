// Registers Observer, FakeQuantize and ActivationQuantizer with TorchScript,
// and says how they are saved.
#include <torch/custom_class.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/fixed_observers.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/scripted_observer.h"
#include "passes/runtime/observers/value_or_throw.h"

namespace ns {
namespace {

using Options = c10::Dict<std::string, std::string>;
using Tensors = c10::Dict<std::string, at::Tensor>;
// The version of what follows, so that another is told by name and not by what
// does not fit.
using Saved = std::tuple<int64_t, c10::IValue>;
// The fields of SeenTensors, in order.
using SavedSeen = std::tuple<int64_t, bool, bool, int64_t, int64_t, bool>;
// Options, state, what was seen, object of a scripted observer or None.
using SavedObserver = std::tuple<Options, Tensors, SavedSeen, c10::IValue>;
// Observer, fused; fake quantization, observer enabled; scale, zero point.
using SavedFakeQuantize =
    std::tuple<ObserverPtr, bool, bool, bool, at::Tensor, at::Tensor>;
// Observer, the number of values seen, converted.
using SavedQuantizer = std::tuple<ObserverPtr, int64_t, bool>;

constexpr int64_t kVersion = 5;

// What was saved, of the type that this version has.
template <typename T>
T Unwrap(const Saved& saved, const char* what) {
  const auto& [version, payload] = saved;
  TORCH_CHECK(version == kVersion, what, " was saved in format ", version,
              "; this version of ns reads format ", kVersion,
              "; prepare the model again");
  return payload.to<T>();
}

template <typename From, typename To>
To CopyOf(const From& from) {
  To to;
  for (const auto& [name, value] : from) {
    to.insert(name, value);
  }
  return to;
}

template <typename V>
std::map<std::string, V> MapOf(const c10::Dict<std::string, V>& dict) {
  std::map<std::string, V> map;
  for (const auto& entry : dict) {
    map[entry.key()] = entry.value();
  }
  return map;
}

ObserverPtr FromOptions(const Options& options) {
  return ValueOrThrow(
      MakeObserver(ValueOrThrow(ParseObserverConfig(MapOf(options)))));
}

Options OptionsOfObserver(const ObserverPtr& self) {
  return CopyOf<ObserverOptions, Options>(OptionsOf(self->config()));
}

Tensors StateOf(const ObserverPtr& self) {
  return CopyOf<ObserverState, Tensors>(self->State());
}

std::vector<at::Tensor> RecordedBy(const ObserverPtr& self) {
  const auto* recording = dynamic_cast<const RecordingObserver*>(self.get());
  TORCH_CHECK(recording != nullptr, "observer '",
              std::string(ObserverKindName(self->config().kind)),
              "' records no values; use kind 'recording'");
  return recording->values();
}

std::tuple<at::Tensor, at::Tensor> PairOf(const TensorQParams& qparams) {
  return {qparams.scale, qparams.zero_point};
}

Saved SaveObserver(const ObserverPtr& self) {
  const auto* scripted = dynamic_cast<const ScriptedObserver*>(self.get());
  const SeenTensors& seen = self->seen();
  return {kVersion,
          SavedObserver(OptionsOfObserver(self), StateOf(self),
                        SavedSeen(seen.least_rank, seen.has_integers,
                                  seen.has_other_floats, seen.values,
                                  seen.greatest_rank, seen.has_single_pixels),
                        scripted == nullptr ? c10::IValue()
                                            : c10::IValue(scripted->object()))};
}

ObserverPtr LoadObserver(const Saved& saved) {
  const auto [options, state, seen, object] =
      Unwrap<SavedObserver>(saved, "an observer");
  ObserverPtr observer =
      object.isNone() ? FromOptions(options)
                      : ValueOrThrow(MakeScriptedObserver(object.toObject()));
  observer->SetState(MapOf(state));
  const auto [least_rank, has_integers, has_other_floats, values, greatest_rank,
              has_single_pixels] = seen;
  observer->SetSeen({least_rank, has_integers, has_other_floats, values,
                     greatest_rank, has_single_pixels});
  return observer;
}

Saved SaveFakeQuantize(const FakeQuantizePtr& self) {
  const FakeQuantizeState& state = self->state();
  return {kVersion,
          SavedFakeQuantize(self->observer(), self->is_fused(),
                            state.fake_quant_enabled, state.observer_enabled,
                            state.scale, state.zero_point)};
}

FakeQuantizePtr LoadFakeQuantize(const Saved& saved) {
  const auto [observer, fused, fake_quant_enabled, observer_enabled, scale,
              zero_point] =
      Unwrap<SavedFakeQuantize>(saved, "a fake quantization");
  FakeQuantizePtr loaded = ValueOrThrow(MakeFakeQuantize(observer, fused));
  loaded->SetState({fake_quant_enabled, observer_enabled, scale, zero_point});
  return loaded;
}

void RegisterObserver() {
  using Self = ObserverPtr;
  torch::class_<Observer>("ns", "Observer")
      .def(torch::init(FromOptions))
      .def("forward", [](const Self& self,
                         const at::Tensor& x) { return self->Forward(x); })
      .def("hand_on", [](const Self&, const at::Tensor& x) { return x; })
      .def("calculate_qparams",
           [](const Self& self) { return PairOf(self->CalculateQParams()); })
      .def("reset_min_max_vals", [](const Self& self) { self->Reset(); })
      .def("merge",
           [](const Self& self, const Self& other) { self->Merge(*other); })
      .def("state", StateOf)
      .def("options", OptionsOfObserver)
      .def("nan_count", [](const Self& self) { return self->NanCount(); })
      .def("inf_count", [](const Self& self) { return self->InfCount(); })
      .def("get_tensor_value", RecordedBy)
      .def_pickle([](const Self& self) { return SaveObserver(self); },
                  [](const Saved& saved) { return LoadObserver(saved); });
}

void RegisterFakeQuantize() {
  using Self = FakeQuantizePtr;
  torch::class_<FakeQuantize>("ns", "FakeQuantize")
      .def(torch::init([](const ObserverPtr& observer, bool fused) {
        return ValueOrThrow(MakeFakeQuantize(observer, fused));
      }))
      .def("forward", [](const Self& self,
                         const at::Tensor& x) { return self->Forward(x); })
      .def("hand_on", [](const Self&, const at::Tensor& x) { return x; })
      .def("calculate_qparams",
           [](const Self& self) { return PairOf(self->CalculateQParams()); })
      .def("enable_fake_quant",
           [](const Self& self) { self->EnableFakeQuant(true); })
      .def("disable_fake_quant",
           [](const Self& self) { self->EnableFakeQuant(false); })
      .def("enable_observer",
           [](const Self& self) { self->EnableObserver(true); })
      .def("disable_observer",
           [](const Self& self) { self->EnableObserver(false); })
      .def("scale", [](const Self& self) { return self->scale(); })
      .def("zero_point", [](const Self& self) { return self->zero_point(); })
      .def("observer", [](const Self& self) { return self->observer(); })
      .def_pickle([](const Self& self) { return SaveFakeQuantize(self); },
                  [](const Saved& saved) { return LoadFakeQuantize(saved); });
}

Saved SaveQuantizer(const ActivationQuantizerPtr& self) {
  return {kVersion, SavedQuantizer(self->observer(), self->values_seen(),
                                   self->IsConverted())};
}

ActivationQuantizerPtr LoadQuantizer(const Saved& saved) {
  const auto [observer, values_seen, converted] =
      Unwrap<SavedQuantizer>(saved, "an activation quantizer");
  auto loaded = c10::make_intrusive<ActivationQuantizer>(observer);
  loaded->Restore(values_seen, converted);
  return loaded;
}

std::vector<at::Tensor> QuantizeList(const ActivationQuantizerPtr& self,
                                     const std::vector<at::Tensor>& list) {
  std::vector<at::Tensor> quantized;
  quantized.reserve(list.size());
  for (const at::Tensor& x : list) {
    quantized.push_back(self->Quantize(x));
  }
  return quantized;
}

void RegisterActivationQuantizer() {
  using Self = ActivationQuantizerPtr;
  torch::class_<ActivationQuantizer>("ns", "ActivationQuantizer")
      .def("observe",
           [](const Self& self, const at::Tensor& x) { self->Observe(x); })
      .def("observe_list",
           [](const Self& self, const std::vector<at::Tensor>& list) {
             for (const at::Tensor& x : list) {
               self->Observe(x);
             }
           })
      .def("forward", [](const Self& self,
                         const at::Tensor& x) { return self->Quantize(x); })
      .def("forward_list", QuantizeList)
      .def("convert", [](const Self& self) { self->Convert(); })
      .def("is_converted", [](const Self& self) { return self->IsConverted(); })
      .def("scale", [](const Self& self) { return self->Calibrated().scale; })
      .def("zero_point",
           [](const Self& self) { return self->Calibrated().zero_point; })
      .def("observer", [](const Self& self) { return self->observer(); })
      .def_pickle([](const Self& self) { return SaveQuantizer(self); },
                  [](const Saved& saved) { return LoadQuantizer(saved); });
}

// Those behind the first have arguments of its class.
const bool kRegistered = (RegisterObserver(), RegisterFakeQuantize(),
                          RegisterActivationQuantizer(), true);

}  // namespace
}  // namespace ns

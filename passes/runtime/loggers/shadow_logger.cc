#include "passes/runtime/loggers/shadow_logger.h"

#include <string>
#include <tuple>
#include <vector>

namespace ns {
namespace {

using Self = c10::intrusive_ptr<ShadowLogger>;
using Tensors = std::vector<at::Tensor>;
// The state is (float, quantized, first sample only, enabled).
using State = std::tuple<Tensors, Tensors, bool, bool>;

c10::Dict<std::string, Tensors> Stats(const Self& self) {
  c10::Dict<std::string, Tensors> stats;
  stats.insert("float", self->float_values());
  stats.insert("quantized", self->quantized_values());
  return stats;
}

torch::class_<ShadowLogger> Register() {
  torch::class_<ShadowLogger> registered("ns", "ShadowLogger");
  RegisterSwitches(registered)
      .def(torch::init<bool>(), "", {torch::arg("first_sample_only") = false})
      .def("forward",
           [](const Self& self, const at::Tensor& quantized,
              const at::Tensor& float_value) {
             self->Forward(quantized, float_value);
           })
      .def("get_stats", Stats)
      .def_pickle(
          [](const Self& self) {
            return State(self->float_values(), self->quantized_values(),
                         self->KeepsFirstSampleOnly(), self->IsEnabled());
          },
          [](const State& state) {
            auto logger = c10::make_intrusive<ShadowLogger>(
                /*first_sample_only=*/std::get<2>(state));
            logger->SetValues(std::get<0>(state), std::get<1>(state));
            logger->SetEnabled(std::get<3>(state));
            return logger;
          });
  return registered;
}

const auto kRegistration = Register();

}  // namespace

void ShadowLogger::Forward(const at::Tensor& quantized,
                           const at::Tensor& float_value) {
  if (IsEnabled() && quantized.defined() && float_value.defined()) {
    quantized_.push_back(Kept(quantized));
    float_.push_back(Kept(float_value));
  }
}

void ShadowLogger::Clear() {
  float_.clear();
  quantized_.clear();
}

at::Tensor ShadowLogger::Kept(const at::Tensor& value) const {
  const bool cut = first_sample_only_ && value.dim() > 0 && value.size(0) > 1;
  return (cut ? value[0] : value).detach().clone();
}

}  // namespace ns

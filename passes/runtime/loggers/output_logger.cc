#include "passes/runtime/loggers/output_logger.h"

#include <tuple>
#include <utility>
#include <vector>

namespace ns {
namespace {

using State = std::tuple<std::vector<at::Tensor>, bool, bool>;

const auto kRegistration =
    torch::class_<OutputLogger>("ns", "OutputLogger")
        .def(torch::init<>())
        .def("forward", [](const c10::intrusive_ptr<OutputLogger>& self,
                           const at::Tensor& x) { return self->Forward(x); })
        .def("get_stats",
             [](const c10::intrusive_ptr<OutputLogger>& self) {
               return self->Stats();
             })
        .def(
            "clear",
            [](const c10::intrusive_ptr<OutputLogger>& self) { self->Clear(); })
        .def("set_enabled", [](const c10::intrusive_ptr<OutputLogger>& self,
                               bool enabled) { self->SetEnabled(enabled); })
        .def("is_enabled",
             [](const c10::intrusive_ptr<OutputLogger>& self) {
               return self->IsEnabled();
             })
        .def("set_save_activations",
             [](const c10::intrusive_ptr<OutputLogger>& self, bool save) {
               self->SetSaveActivations(save);
             })
        .def("saves_activations",
             [](const c10::intrusive_ptr<OutputLogger>& self) {
               return self->SavesActivations();
             })
        .def_pickle(
            [](const c10::intrusive_ptr<OutputLogger>& self) {
              return State(self->Stats(), self->IsEnabled(),
                           self->SavesActivations());
            },
            [](const State& state) {
              auto logger = c10::make_intrusive<OutputLogger>();
              logger->SetStats(std::get<0>(state));
              logger->SetEnabled(std::get<1>(state));
              logger->SetSaveActivations(std::get<2>(state));
              return logger;
            });

}  // namespace

at::Tensor OutputLogger::Forward(const at::Tensor& x) {
  if (IsEnabled() && SavesActivations()) {
    stats_.push_back(x.detach().clone());
  }
  return x;
}

}  // namespace ns

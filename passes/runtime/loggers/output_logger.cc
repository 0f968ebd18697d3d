#include "passes/runtime/loggers/output_logger.h"

#include <tuple>
#include <utility>
#include <vector>

namespace ns {
namespace {

using State = std::tuple<std::vector<at::Tensor>, bool, bool>;

using Self = c10::intrusive_ptr<OutputLogger>;

torch::class_<OutputLogger> Register() {
  torch::class_<OutputLogger> registered("ns", "OutputLogger");
  RegisterSwitches(registered)
      .def(torch::init<>())
      .def("forward", [](const Self& self,
                         const at::Tensor& x) { return self->Forward(x); })
      .def("get_stats", [](const Self& self) { return self->Stats(); })
      .def("set_save_activations",
           [](const Self& self, bool save) { self->SetSaveActivations(save); })
      .def("saves_activations",
           [](const Self& self) { return self->SavesActivations(); })
      .def_pickle(
          [](const Self& self) {
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
  return registered;
}

const auto kRegistration = Register();

}  // namespace

at::Tensor OutputLogger::Forward(const at::Tensor& x) {
  if (IsEnabled() && SavesActivations() && x.defined()) {
    stats_.push_back(x.detach().clone());
  }
  return x;
}

}  // namespace ns

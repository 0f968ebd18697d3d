#include "passes/runtime/lap_timer.h"

namespace ns {
namespace {

const auto registered = torch::class_<LapTimer>("ns", "LapTimer")
                            .def("lap", [](const LapTimerPtr& self,
                                           int64_t slot) { self->Lap(slot); });

}  // namespace
}  // namespace ns

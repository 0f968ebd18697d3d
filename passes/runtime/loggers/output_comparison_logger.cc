#include "passes/runtime/loggers/output_comparison_logger.h"

#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/is_dense.h"
#include "passes/runtime/statistics/saved_statistics.h"

namespace ns {
namespace {

using Self = c10::intrusive_ptr<OutputComparisonLogger>;
// The state is the sums call by call, saved activations, and the two switches.
using State =
    std::tuple<std::vector<double>, std::vector<at::Tensor>, bool, bool>;

State Save(const Self& self) {
  return State(NumbersOf(self->comparisons()), self->stats(), self->IsEnabled(),
               self->SavesActivations());
}

Self Load(const State& state) {
  const auto& [numbers, stats, enabled, save_activations] = state;
  auto logger = c10::make_intrusive<OutputComparisonLogger>();
  logger->Restore(StatisticsFromNumbers(numbers), stats);
  logger->SetEnabled(enabled);
  logger->SetSaveActivations(save_activations);
  return logger;
}

std::vector<double> SqnrOfCalls(const Self& self) {
  std::vector<double> sqnr;
  for (const PairStatistics& call : self->comparisons()) {
    sqnr.push_back(call.SqnrDb());
  }
  return sqnr;
}

torch::class_<OutputComparisonLogger> Register() {
  torch::class_<OutputComparisonLogger> registered("ns",
                                                   "OutputComparisonLogger");
  RegisterSwitches(registered)
      .def(torch::init<>())
      .def("forward",
           [](const Self& self, const at::Tensor& x, const at::Tensor& x_ref) {
             self->Compare(x, x_ref);
             return x;
           })
      .def("get_stats", [](const Self& self) { return self->stats(); })
      .def("get_comparisons", SqnrOfCalls)
      .def("pooled_sqnr",
           [](const Self& self) { return self->Pooled().SqnrDb(); })
      .def("set_save_activations",
           [](const Self& self, bool save) { self->SetSaveActivations(save); })
      .def_pickle([](const Self& self) { return Save(self); },
                  [](const State& state) { return Load(state); });
  return registered;
}

const auto kRegistration = Register();

}  // namespace

void OutputComparisonLogger::Compare(const at::Tensor& x,
                                     const at::Tensor& reference) {
  const bool are_defined = x.defined() && reference.defined();
  if (!IsEnabled() || !are_defined || !IsDense(x) || !IsDense(reference)) {
    return;
  }
  comparisons_.push_back(ComparePair(reference, x));
  if (save_activations_) {
    stats_.push_back(x.detach().clone());
  }
}

PairStatistics OutputComparisonLogger::Pooled() const {
  PairStatistics pooled;
  for (const PairStatistics& call : comparisons_) {
    pooled.Merge(call);
  }
  return pooled;
}

void OutputComparisonLogger::Clear() {
  comparisons_.clear();
  stats_.clear();
}

}  // namespace ns

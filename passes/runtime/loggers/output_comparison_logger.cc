#include "passes/runtime/loggers/output_comparison_logger.h"

#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/statistics/saved_statistics.h"

namespace ns {
namespace {

using Logger = c10::intrusive_ptr<OutputComparisonLogger>;
// Sums call by call, saved activations, the two switches.
using State =
    std::tuple<std::vector<double>, std::vector<at::Tensor>, bool, bool>;

State Save(const Logger& self) {
  return State(NumbersOf(self->comparisons()), self->stats(), self->IsEnabled(),
               self->SavesActivations());
}

Logger Load(const State& state) {
  const auto& [numbers, stats, enabled, save_activations] = state;
  auto logger = c10::make_intrusive<OutputComparisonLogger>();
  logger->Restore(StatisticsFromNumbers(numbers), stats);
  logger->SetEnabled(enabled);
  logger->SetSaveActivations(save_activations);
  return logger;
}

std::vector<double> SqnrOfCalls(const Logger& self) {
  std::vector<double> sqnr;
  for (const PairStatistics& call : self->comparisons()) {
    sqnr.push_back(call.SqnrDb());
  }
  return sqnr;
}

const auto kRegistration =
    torch::class_<OutputComparisonLogger>("ns", "OutputComparisonLogger")
        .def(torch::init<>())
        .def("forward",
             [](const Logger& self, const at::Tensor& x,
                const at::Tensor& x_ref) {
               self->Compare(x, x_ref);
               return x;
             })
        .def("get_stats", [](const Logger& self) { return self->stats(); })
        .def("get_comparisons", SqnrOfCalls)
        .def("pooled_sqnr",
             [](const Logger& self) { return self->Pooled().SqnrDb(); })
        .def("clear", [](const Logger& self) { self->Clear(); })
        .def("set_enabled", [](const Logger& self,
                               bool enabled) { self->SetEnabled(enabled); })
        .def("is_enabled", [](const Logger& self) { return self->IsEnabled(); })
        .def("set_save_activations",
             [](const Logger& self, bool save) {
               self->SetSaveActivations(save);
             })
        .def_pickle([](const Logger& self) { return Save(self); },
                    [](const State& state) { return Load(state); });

}  // namespace

void OutputComparisonLogger::Compare(const at::Tensor& x,
                                     const at::Tensor& reference) {
  if (!enabled_) {
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

#include "passes/runtime/loggers/pair_comparer.h"

#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/is_dense.h"
#include "passes/runtime/statistics/saved_statistics.h"

namespace ns {
namespace {

using Numbers = std::vector<double>;

// The state is (in loop, channels, by batch, codes), pooled statistics, those
// of batches, those of trips, shape, (only x, only y), and problem.
using State =
    std::tuple<std::tuple<bool, int64_t, bool, bool>, Numbers, Numbers, Numbers,
               std::vector<int64_t>, std::tuple<int64_t, int64_t>, std::string>;

State GetState(const PairComparerPtr& self) {
  const PairComparerOptions& options = self->options();
  const PairRecord& record = self->record();
  return State({options.in_loop, static_cast<int64_t>(options.channels),
                options.by_batch, options.codes},
               record.pooled.ToNumbers(), NumbersOf(record.batches),
               NumbersOf(record.trips), record.shape,
               {record.only_x, record.only_y}, self->problem());
}

PairComparerPtr FromState(const State& state) {
  PairComparerOptions options;
  const auto [in_loop, channels, by_batch, codes] = std::get<0>(state);
  TORCH_CHECK(channels >= 0 &&
                  channels <= static_cast<int64_t>(ChannelDim::kNearConv3d),
              "a PairComparer has no channels of kind ", channels);
  options.in_loop = in_loop;
  options.by_batch = by_batch;
  options.codes = codes;
  options.channels = static_cast<ChannelDim>(channels);
  PairRecord record;
  record.pooled = TensorStatistics::FromNumbers(std::get<1>(state));
  options.errors = record.pooled.errors.total() > 0;
  options.histograms = record.pooled.histograms.total() > 0;
  record.batches = StatisticsFromNumbers(std::get<2>(state));
  record.trips = StatisticsFromNumbers(std::get<3>(state));
  record.shape = std::get<4>(state);
  std::tie(record.only_x, record.only_y) = std::get<5>(state);
  auto comparer = c10::make_intrusive<PairComparer>(options);
  comparer->SetState(record, std::get<6>(state));
  return comparer;
}

using Self = PairComparerPtr;

torch::class_<PairComparer> Register() {
  torch::class_<PairComparer> registered("ns", "PairComparer");
  RegisterSwitches(registered)
      .def(torch::init<>([] { return c10::make_intrusive<PairComparer>(); }))
      // Graphs that earlier versions saved call `begin` in front of a shadow.
      .def("begin", [](const Self&) {})
      .def("compare", [](const Self& self, const at::Tensor& x,
                         const at::Tensor& y) { self->Compare(x, y); })
      .def("see_x",
           [](const Self& self, const at::Tensor& x) { self->SeeX(x); })
      .def("see_y",
           [](const Self& self, const at::Tensor& y) { self->SeeY(y); })
      .def("miss_x", [](const Self& self) { self->MissX(); })
      .def("miss_y", [](const Self& self) { self->MissY(); })
      .def("end_batch", [](const Self& self) { self->EndBatch(); })
      .def("sqnr_db",
           [](const Self& self) { return self->record().pooled.sums.SqnrDb(); })
      .def("count",
           [](const Self& self) { return self->record().pooled.sums.count; })
      .def_pickle([](const Self& self) { return GetState(self); },
                  [](const State& state) { return FromState(state); });
  return registered;
}

const auto kRegistration = Register();

TensorStatisticsOptions StatisticsOf(const PairComparerOptions& wanted,
                                     int64_t dims) {
  TensorStatisticsOptions options;
  options.codes = wanted.codes;
  options.errors = wanted.errors;
  options.channel_dim = ChannelDimIn(wanted.channels, dims);
  return options;
}

// Returns a copy that later writes do not reach. There is nothing to copy of an
// undefined tensor, which ops give for a result that nobody asked for.
at::Tensor Kept(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.detach().clone() : tensor;
}

std::string ShapeText(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

}  // namespace

void PairComparer::Compare(const at::Tensor& x, const at::Tensor& y) {
  if (!IsEnabled()) {
    return;
  }
  const int64_t call = calls_++;
  if (!x.defined() || !y.defined()) {
    return;
  }
  if (!options_.integers &&
      at::isIntegralType(x.scalar_type(), /*includeBool=*/true)) {
    return;
  }
  record_.reset();
  if (!IsDense(x) || !IsDense(y)) {
    accumulator_.AddProblem("nested and sparse tensors are not compared");
    return;
  }
  if (options_.fingerprints) {
    accumulator_.AddFingerprints(x, y, call);
  }
  if (x.sizes() != y.sizes()) {
    accumulator_.AddProblem("shapes differ, " + ShapeText(x) + " and " +
                            ShapeText(y) + "; not compared");
    accumulator_.AddMisshapen(x, y);
    return;
  }
  TensorStatisticsOptions options = StatisticsOf(options_, x.dim());
  options.histograms =
      options_.histograms ? &accumulator_.histograms() : nullptr;
  accumulator_.Add(x, y, CompareTensors(x, y, options), options.channel_dim,
                   options_.in_loop ? std::optional(static_cast<size_t>(call))
                                    : std::nullopt);
  for (const Observer& observer : observers_) {
    observer(x, y, call);
  }
}

void PairComparer::MissX() {
  if (IsEnabled()) {
    record_.reset();
    accumulator_.AddAlone(/*only_x=*/0, /*only_y=*/1);
    ++calls_;
  }
}

void PairComparer::MissY() {
  if (IsEnabled()) {
    record_.reset();
    accumulator_.AddAlone(/*only_x=*/1, /*only_y=*/0);
  }
}

void PairComparer::SeeX(const at::Tensor& x) {
  if (!IsEnabled()) {
    return;
  }
  if (waiting_y_.empty()) {
    waiting_x_.push_back(Kept(x));
    return;
  }
  const at::Tensor y = std::move(waiting_y_.front());
  waiting_y_.pop_front();
  Compare(x, y);
}

void PairComparer::SeeY(const at::Tensor& y) {
  if (!IsEnabled()) {
    return;
  }
  if (waiting_x_.empty()) {
    waiting_y_.push_back(Kept(y));
    return;
  }
  const at::Tensor x = std::move(waiting_x_.front());
  waiting_x_.pop_front();
  Compare(x, y);
}

void PairComparer::EndBatch() {
  record_.reset();
  accumulator_.AddAlone(static_cast<int64_t>(waiting_x_.size()),
                        static_cast<int64_t>(waiting_y_.size()));
  waiting_x_.clear();
  waiting_y_.clear();
  accumulator_.EndBatch();
  calls_ = 0;
}

void PairComparer::Clear() {
  EndBatch();
  record_.reset();
  accumulator_ = PairAccumulator(options_.by_batch);
}

const PairRecord& PairComparer::record() const {
  if (!record_) {
    record_ = accumulator_.Record();
  }
  return *record_;
}

void PairComparer::Merge(const PairAccumulator& other) {
  record_.reset();
  accumulator_.Merge(other);
}

void PairComparer::SetState(const PairRecord& record, std::string problem) {
  record_.reset();
  accumulator_ = PairAccumulator::FromRecord(record, options_.by_batch);
  if (!problem.empty()) {
    accumulator_.AddProblem(std::move(problem));
  }
}

}  // namespace ns

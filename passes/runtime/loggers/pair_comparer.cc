#include "passes/runtime/loggers/pair_comparer.h"

#include <atomic>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/is_dense.h"
#include "passes/runtime/statistics/exchanged_axes.h"
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
  comparer->SetState(std::move(record), std::get<6>(state));
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
  if (!IsDense(x) || !IsDense(y)) {
    problem_ = "nested and sparse tensors are not compared";
    return;
  }
  if (x.sizes() != y.sizes()) {
    problem_ = "shapes differ, " + ShapeText(x) + " and " + ShapeText(y) +
               "; not compared";
    LookForExchange(x, y);
    return;
  }
  TensorStatisticsOptions options = StatisticsOf(options_, x.dim());
  options.histograms =
      options_.histograms ? &record_.pooled.histograms : nullptr;
  const TensorStatistics statistics = CompareTensors(x, y, options);
  record_.pooled.Merge(statistics);
  record_.constant.Add(x, y, options.channel_dim, statistics.channels);
  if (record_.batches.empty() && statistics.sums.SqnrDb() < kExchangeBelowDb) {
    LookForExchange(x, y);
  }
  batch_.Merge(statistics.sums);
  if (options_.in_loop) {
    const auto trip = static_cast<size_t>(call);
    if (record_.trips.size() <= trip) {
      record_.trips.resize(trip + 1);
    }
    record_.trips[trip].Merge(statistics.sums);
  }
  if (!compared_ && record_.batches.empty()) {
    record_.shape = x.sizes().vec();
  }
  compared_ = true;
  for (const Observer& observer : observers_) {
    observer(x, y, call);
  }
}

void PairComparer::LookForExchange(const at::Tensor& x, const at::Tensor& y) {
  if (!std::exchange(looked_for_exchange_, true)) {
    record_.exchanged = FindExchangedAxes(x, y);
  }
}

void PairComparer::MissX() {
  if (IsEnabled()) {
    ++record_.only_y;
    ++calls_;
  }
}

void PairComparer::MissY() {
  if (IsEnabled()) {
    ++record_.only_x;
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
  record_.only_x += static_cast<int64_t>(waiting_x_.size());
  record_.only_y += static_cast<int64_t>(waiting_y_.size());
  waiting_x_.clear();
  waiting_y_.clear();
  if (compared_) {
    if (options_.by_batch || record_.batches.empty()) {
      record_.batches.emplace_back();
    }
    record_.batches.back().Merge(batch_);
  }
  batch_ = PairStatistics();
  calls_ = 0;
  compared_ = false;
}

void PairComparer::Clear() {
  EndBatch();
  record_ = PairRecord();
  looked_for_exchange_ = false;
  problem_.clear();
}

}  // namespace ns

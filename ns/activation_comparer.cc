#include "ns/activation_comparer.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/status.h"
#include "passes/logging/add_loggers.h"

namespace ns {
namespace {

constexpr char kFloat[] = "float";
constexpr char kQuantized[] = "quantized";

bool IsInLoop(const torch::jit::Node& node) {
  for (const torch::jit::Node* outer = node.owningBlock()->owningNode();
       outer != nullptr; outer = outer->owningBlock()->owningNode()) {
    if (outer->kind() == c10::prim::Loop) {
      return true;
    }
  }
  return false;
}

absl::Status RunModel(const char* name, ModelGraph& model, Batch batch) {
  absl::Status status = FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch);
  if (status.ok()) {
    status = model.Run(batch.arguments, batch.keywords).status();
  }
  return status.ok() ? status
                     : absl::Status(status.code(),
                                    absl::StrCat("the ", name, " model, ",
                                                 status.message()));
}

std::string ShapeText(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

}  // namespace

ErrorFigures FiguresOf(const PairStatistics& statistics) {
  return {statistics.SqnrDb(), statistics.NormalizedL2(), statistics.Cosine(),
          statistics.max_abs_error};
}

absl::StatusOr<ActivationComparer> ActivationComparer::Create(
    ModelGraph& float_model, ModelGraph& quantized_model,
    const MatchResult& matches) {
  ActivationComparer comparer(float_model, quantized_model);
  comparer.points_.resize(matches.matches.size());
  std::vector<c10::intrusive_ptr<OutputLogger>> loggers[2];
  LoggerOptions options;
  // One output logger a match and model, in the order of the matches.
  options.logger = [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    auto logger = c10::make_intrusive<OutputLogger>();
    loggers[info.model_name == kFloat ? 0 : 1].push_back(logger);
    return c10::IValue(logger);
  };
  NS_RETURN_IF_ERROR(AddLoggers(kFloat, float_model, kQuantized,
                                quantized_model, matches, options));
  for (size_t i = 0; i < comparer.points_.size(); ++i) {
    Point& point = comparer.points_[i];
    point.name = matches.matches[i].name;
    point.in_loop = IsInLoop(*matches.matches[i].b.subgraph.end);
    point.float_logger = loggers[0][i];
    point.quantized_logger = loggers[1][i];
  }
  return comparer;
}

absl::Status ActivationComparer::Run(const Batch& batch) {
  NS_RETURN_IF_ERROR(RunModel(kFloat, *float_model_, batch));
  NS_RETURN_IF_ERROR(RunModel(kQuantized, *quantized_model_, batch));
  for (Point& point : points_) {
    Compare(point);
    point.float_logger->Clear();
    point.quantized_logger->Clear();
  }
  return absl::OkStatus();
}

// Compares what the two loggers saw in this batch, call by call.
void ActivationComparer::Compare(Point& point) {
  const std::vector<at::Tensor> float_values = point.float_logger->Stats();
  const std::vector<at::Tensor> quantized_values =
      point.quantized_logger->Stats();
  if (float_values.size() != quantized_values.size() && point.warning.empty()) {
    point.warning = absl::StrCat(
        point.name, ": the models came by ", float_values.size(), " and ",
        quantized_values.size(),
        " times in one batch (control flow differs); the common calls are "
        "compared");
  }
  PairStatistics of_batch;
  const size_t calls = std::min(float_values.size(), quantized_values.size());
  size_t compared = 0;
  for (size_t i = 0; i < calls; ++i) {
    const at::Tensor& x = float_values[i];
    const at::Tensor& y = quantized_values[i];
    if (x.sizes() != y.sizes()) {
      point.warning =
          absl::StrCat(point.name, ": shapes differ, ", ShapeText(x), " and ",
                       ShapeText(y), "; not compared");
      continue;
    }
    const PairStatistics statistics = ComparePair(x, y);
    if (point.shape.empty()) {
      point.shape = x.sizes().vec();
    }
    of_batch.Merge(statistics);
    if (point.in_loop) {
      if (point.trips.size() <= i) {
        point.trips.resize(i + 1);
      }
      point.trips[i].Merge(statistics);
    }
    ++compared;
  }
  if (compared > 0) {
    point.pooled.Merge(of_batch);
    point.batch_sqnr_db.push_back(of_batch.SqnrDb());
  }
}

std::optional<ActivationComparison> ActivationComparer::Result(
    size_t index) const {
  const Point& point = points_[index];
  if (point.batch_sqnr_db.empty()) {
    return std::nullopt;
  }
  ActivationComparison result;
  result.shape = point.shape;
  result.error = FiguresOf(point.pooled);
  result.batch_sqnr_db = point.batch_sqnr_db;
  for (const PairStatistics& trip : point.trips) {
    result.trip_sqnr_db.push_back(trip.SqnrDb());
  }
  return result;
}

std::vector<std::string> ActivationComparer::Warnings() const {
  std::vector<std::string> warnings;
  for (const Point& point : points_) {
    if (!point.warning.empty()) {
      warnings.push_back(point.warning);
    }
  }
  return warnings;
}

}  // namespace ns

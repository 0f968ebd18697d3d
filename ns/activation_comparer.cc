#include "ns/activation_comparer.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
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

}  // namespace

absl::StatusOr<ActivationComparer> ActivationComparer::Create(
    ModelGraph& float_model, ModelGraph& quantized_model,
    const MatchResult& matches, const ActivationComparerOptions& options) {
  ActivationComparer comparer(float_model, quantized_model);
  comparer.options_ = options;
  for (const SubgraphMatch& match : matches.matches) {
    const PooledComparison pooled(match.name, IsInLoop(*match.b.subgraph.end));
    comparer.points_.push_back({{}, {}, {}, pooled, pooled});
  }
  if (options.activations) {
    NS_RETURN_IF_ERROR(comparer.AddLoggersFor(matches));
  }
  if (options.shadows) {
    NS_RETURN_IF_ERROR(comparer.AddShadowsFor(matches));
  }
  return comparer;
}

absl::Status ActivationComparer::AddLoggersFor(const MatchResult& matches) {
  std::vector<LoggerPtr> loggers[2];
  LoggerOptions options;
  // One output logger a match and model, in the order of the matches.
  options.logger = [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    auto logger = c10::make_intrusive<OutputLogger>();
    loggers[info.model_name == kFloat ? 0 : 1].push_back(logger);
    return c10::IValue(logger);
  };
  NS_RETURN_IF_ERROR(AddLoggers(kFloat, *float_model_, kQuantized,
                                *quantized_model_, matches, options));
  for (size_t i = 0; i < points_.size(); ++i) {
    points_[i].float_logger = loggers[0][i];
    points_[i].quantized_logger = loggers[1][i];
  }
  return absl::OkStatus();
}

absl::Status ActivationComparer::AddShadowsFor(const MatchResult& matches) {
  absl::flat_hash_map<std::string, Point*> by_name;
  for (size_t i = 0; i < points_.size(); ++i) {
    by_name[matches.matches[i].name] = &points_[i];
  }
  LoggerOptions options;
  options.logger = [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    auto logger = c10::make_intrusive<OutputLogger>();
    Point& point = *by_name.at(info.layer);
    if (info.model_name == kFloat) {
      point.shadow_logger = logger;
    } else if (point.quantized_logger == nullptr) {
      point.quantized_logger = logger;
    } else {
      // The value is logged already.
      logger->SetEnabled(false);
    }
    return c10::IValue(logger);
  };
  NS_ASSIGN_OR_RETURN(not_shadowed_,
                      AddShadowLoggers(kFloat, *float_model_, kQuantized,
                                       *quantized_model_, matches, options));
  return absl::OkStatus();
}

absl::Status ActivationComparer::Run(const Batch& batch) {
  if (options_.activations) {
    NS_RETURN_IF_ERROR(RunModel(kFloat, *float_model_, batch));
  }
  NS_RETURN_IF_ERROR(RunModel(kQuantized, *quantized_model_, batch));
  for (Point& point : points_) {
    if (point.quantized_logger == nullptr) {
      continue;
    }
    const std::vector<at::Tensor> quantized = point.quantized_logger->Stats();
    point.quantized_logger->Clear();
    if (point.float_logger != nullptr) {
      point.activation.AddBatch(point.float_logger->Stats(), quantized);
      point.float_logger->Clear();
    }
    if (point.shadow_logger != nullptr) {
      point.shadow.AddBatch(point.shadow_logger->Stats(), quantized);
      point.shadow_logger->Clear();
    }
  }
  return absl::OkStatus();
}

std::optional<ActivationComparison> ActivationComparer::Activation(
    size_t index) const {
  return points_[index].activation.Result();
}

std::optional<ActivationComparison> ActivationComparer::Shadow(
    size_t index) const {
  return points_[index].shadow.Result();
}

std::vector<std::string> ActivationComparer::Warnings() const {
  std::vector<std::string> warnings;
  for (const Point& point : points_) {
    for (const PooledComparison* pooled : {&point.activation, &point.shadow}) {
      if (!pooled->warning().empty()) {
        warnings.push_back(pooled->warning());
      }
    }
  }
  return warnings;
}

}  // namespace ns

#include "passes/extraction/extract_logger_info.h"

#include <torch/csrc/jit/api/object.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/module_path.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/layer_names.h"

namespace ns {
namespace {

// Returns the values of a logger; none for one that keeps no values.
absl::StatusOr<std::vector<at::Tensor>> Values(const AttachedLogger& logger) {
  const std::string what =
      absl::StrCat("reading the logger of ", logger.info.layer);
  NS_ASSIGN_OR_RETURN(const c10::IValue stats,
                      Annotated(what, ReadStats(logger.object)));
  if (stats.isNone()) {
    return std::vector<at::Tensor>();
  }
  return CatchTorchErrors(what, [&] { return stats.toTensorVector(); });
}

// Returns the loggers of `modules` whose class has this name, or all when it is
// empty.
absl::StatusOr<std::vector<AttachedLogger>> LoggersOfClass(
    const std::vector<torch::jit::Module>& modules, const std::string& name) {
  std::vector<AttachedLogger> loggers;
  std::set<std::string> classes;
  for (const torch::jit::Module& module : modules) {
    for (AttachedLogger& logger : AllAttachedLoggers(module)) {
      const std::string type =
          LoggerTypeName(*logger.object.toObject()->type());
      classes.insert(type);
      if (name.empty() || IsTypeNamed(type, name)) {
        loggers.push_back(std::move(logger));
      }
    }
  }
  if (loggers.empty() && !name.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no logger is of class '", name, "'; ",
        classes.empty()
            ? "the models have no loggers"
            : absl::StrCat("there are ", absl::StrJoin(classes, ", "))));
  }
  return loggers;
}

// Gives the layers of `loggers` the names that they have in the model called
// `model`.
absl::Status Rename(const std::string& model,
                    std::vector<AttachedLogger>& loggers) {
  std::map<std::string, std::string> in_model;
  std::set<std::string> models;
  for (const AttachedLogger& logger : loggers) {
    const LoggerInfo& info = logger.info;
    models.insert(info.model_name);
    if (info.model_name == model && !info.layer_in_model.empty()) {
      in_model.emplace(info.layer, info.layer_in_model);
    }
  }
  if (!loggers.empty() && models.count(model) == 0) {
    return absl::NotFoundError(absl::StrCat("no logger is of model '", model,
                                            "'; there are ",
                                            absl::StrJoin(models, ", ")));
  }
  // A layer that keeps its name may now have the name of another one.
  std::map<std::string, std::string> renamed;
  UniqueNames unique;
  for (AttachedLogger& logger : loggers) {
    std::string& layer = logger.info.layer;
    const auto [name, is_new] = renamed.try_emplace(layer);
    if (is_new) {
      const auto found = in_model.find(layer);
      name->second =
          unique.Take(found == in_model.end() ? layer : found->second);
    }
    layer = name->second;
  }
  return absl::OkStatus();
}

// True for integers and truth values.
bool HoldsIntegers(const SingleResult& record) {
  return !record.values.empty() &&
         at::isIntegralType(record.values[0].scalar_type(),
                            /*includeBool=*/true);
}

bool InArgumentOrder(const SingleResult& x, const SingleResult& y) {
  return std::tie(x.info.index_of_arg, x.info.index_within_arg) <
         std::tie(y.info.index_of_arg, y.info.index_within_arg);
}

bool InTextOrder(const SingleResult& x, const SingleResult& y) {
  const auto key = [](const LoggerInfo& info) {
    return absl::StrCat(info.index_of_arg, ":", info.index_within_arg);
  };
  return key(x.info) < key(y.info);
}

}  // namespace

absl::StatusOr<Results> ExtractLoggerInfo(
    const std::vector<torch::jit::Module>& modules,
    const ExtractLoggerInfoOptions& options) {
  NS_ASSIGN_OR_RETURN(std::vector<AttachedLogger> loggers,
                      LoggersOfClass(modules, options.logger_class));
  if (!options.model_name_to_use_for_layer_names.empty()) {
    NS_RETURN_IF_ERROR(
        Rename(options.model_name_to_use_for_layer_names, loggers));
  }
  Results results;
  for (AttachedLogger& logger : loggers) {
    SingleResult record;
    NS_ASSIGN_OR_RETURN(record.values, Values(logger));
    record.info = std::move(logger.info);
    if (record.info.output_index > 0 && HoldsIntegers(record)) {
      continue;
    }
    std::vector<SingleResult>& records =
        results[record.info.layer][record.info.type][record.info.model_name];
    records.insert(
        std::upper_bound(records.begin(), records.end(), record,
                         options.compat ? InTextOrder : InArgumentOrder),
        record);
  }
  return results;
}

}  // namespace ns

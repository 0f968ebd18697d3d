#include "ns/eager/logger_dict.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/module_path.h"
#include "passes/instrument/logger_info.h"

namespace ns {
namespace {

// Converts stats to lists by name. None gives no lists.
LoggerStats ListsOf(const c10::IValue& stats) {
  if (stats.isNone()) {
    return {};
  }
  if (!stats.isGenericDict()) {
    return {{kTensorVal, stats.toTensorVector()}};
  }
  LoggerStats lists;
  for (const auto& entry : stats.toGenericDict()) {
    lists[entry.key().toStringRef()] = entry.value().toTensorVector();
  }
  return lists;
}

}  // namespace

const LoggerStats* FindStats(const LoggerDict& dict, absl::string_view key) {
  for (const auto& [name, stats] : dict) {
    if (name == key) {
      return &stats;
    }
  }
  return nullptr;
}

absl::StatusOr<LoggerDict> GetLoggerDict(const torch::jit::Module& module,
                                         absl::string_view prefix) {
  LoggerDict dict;
  for (const AttachedLogger& logger : AllAttachedLoggers(module)) {
    const std::string what =
        absl::StrCat("reading the logger of '", logger.info.layer, "'");
    NS_ASSIGN_OR_RETURN(const c10::IValue kept,
                        Annotated(what, ReadStats(logger.object)));
    NS_ASSIGN_OR_RETURN(LoggerStats stats,
                        CatchTorchErrors(what, [&] { return ListsOf(kept); }));
    const std::string key =
        JoinPath(JoinPath(prefix, logger.info.layer), "stats");
    if (logger.info.output_index == 0) {
      dict.emplace_back(key, std::move(stats));
      continue;
    }
    // The loggers of first outputs come first.
    const auto of_module = absl::c_find_if(
        dict, [&](const auto& entry) { return entry.first == key; });
    if (of_module != dict.end()) {
      for (auto& [name, values] : stats) {
        of_module->second[absl::StrCat(name, "_", logger.info.output_name)] =
            std::move(values);
      }
    }
  }
  return dict;
}

}  // namespace ns

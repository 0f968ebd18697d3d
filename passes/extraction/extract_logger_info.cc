#include "passes/extraction/extract_logger_info.h"

#include <torch/csrc/jit/api/object.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/instrument/logger_info.h"

namespace ns {
namespace {

std::vector<at::Tensor> Stats(const c10::IValue& logger) {
  torch::jit::Object object(logger.toObject());
  const c10::IValue stats = object.find_method("get_stats")
                                ? object.get_method("get_stats")({})
                                : object.attr("stats");
  return stats.toTensorVector();
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
  Results results;
  for (const torch::jit::Module& module : modules) {
    for (AttachedLogger& logger : AllAttachedLoggers(module)) {
      SingleResult record;
      NS_ASSIGN_OR_RETURN(
          record.values,
          CatchTorchErrors(
              absl::StrCat("reading the logger of ", logger.info.layer),
              [&] { return Stats(logger.object); }));
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
  }
  return results;
}

}  // namespace ns

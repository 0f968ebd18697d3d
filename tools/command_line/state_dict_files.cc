#include "tools/command_line/state_dict_files.h"

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ns/eager/compare_state_dicts.h"
#include "ns/eager/state_dict.h"

namespace ns {
namespace {

// These flags are about graphs, and about running them.
constexpr absl::string_view kOfTorchScript[] = {
    "emulate",  "engine",      "exact",  "inputs", "io-type", "leaf",
    "matching", "max-batches", "method", "names",  "relate",  "unmatchable"};

}  // namespace

bool AreStateDicts(const ModelPairOptions& models) {
  return HoldsStateDict(models.float_path) &&
         HoldsStateDict(models.quantized_path);
}

absl::Status CheckFlagsOfStateDicts(const Flags& flags) {
  for (const absl::string_view flag : kOfTorchScript) {
    if (flags.Has(flag)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag,
          " is of TorchScript models, and the files are "
          "state_dicts, which are compared by their keys; leave it out"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ComparisonResult> CompareStateDictFiles(
    const ModelPairOptions& models, bool histograms) {
  NS_ASSIGN_OR_RETURN(const StateDict of_float,
                      LoadStateDict(models.float_path));
  NS_ASSIGN_OR_RETURN(const StateDict of_quantized,
                      LoadStateDict(models.quantized_path));
  absl::StatusOr<ComparisonResult> result =
      CompareStateDicts(of_float, of_quantized, histograms);
  if (!result.ok()) {
    return absl::Status(
        result.status().code(),
        absl::StrCat(models.float_path, " and ", models.quantized_path, ": ",
                     result.status().message()));
  }
  return result;
}

}  // namespace ns

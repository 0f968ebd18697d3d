#include "ns/compare/state_dict_files.h"

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/eager/compare_state_dicts.h"
#include "ns/eager/state_dict.h"

namespace ns {
bool AreStateDicts(const ModelPairOptions& models) {
  return HoldsStateDict(models.float_path) &&
         HoldsStateDict(models.quantized_path);
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

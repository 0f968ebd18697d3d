// Compares files that hold state dicts.
#ifndef NS_COMPARE_STATE_DICT_FILES_H_
#define NS_COMPARE_STATE_DICT_FILES_H_

#include "absl/status/statusor.h"
#include "ns/compare/load_pair.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Whether both files hold state dicts, and so neither is TorchScript. False
// also for a file that cannot be read.
bool AreStateDicts(const ModelPairOptions& models);

// Loads both files and compares their weights (CompareStateDicts of
// ns/eager/compare_state_dicts.h), with their histograms where `histograms`
// asks for them. Of `models`, only the two paths are used. Errors name the
// file, or both.
absl::StatusOr<ComparisonResult> CompareStateDictFiles(
    const ModelPairOptions& models, bool histograms);

}  // namespace ns

#endif  // NS_COMPARE_STATE_DICT_FILES_H_

// Makes the loggers of an n-shadows model: those that compare quantization
// candidates with the float model, and those of the float model itself.
#ifndef NS_N_SHADOWS_CANDIDATE_LOGGER_H_
#define NS_N_SHADOWS_CANDIDATE_LOGGER_H_

#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"
#include "passes/instrument/logger_info.h"

namespace ns {

// Makes the logger of the candidate that `info` describes, and disables it. It
// is what `factory` makes or, where that is null, an OutputComparisonLogger
// (passes/runtime/loggers). Errors: that of the factory; a logger without the
// methods that NShadowsOptions::logger names (prepare_n_shadows_model.h); one
// that cannot be disabled.
absl::StatusOr<c10::IValue> MakeCandidateLogger(const LoggerFactory& factory,
                                                const LoggerInfo& info);

// Makes a disabled OutputLogger for the float value that candidates are
// compared with. It does not save activations when it is enabled, either.
c10::IValue MakeFloatLogger();

}  // namespace ns

#endif  // NS_N_SHADOWS_CANDIDATE_LOGGER_H_

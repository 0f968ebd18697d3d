// Makes the loggers of an n-shadows model: those that compare quantization
// candidates with the float model, and those of the float model itself.
#ifndef NS_N_SHADOWS_CANDIDATE_LOGGER_H_
#define NS_N_SHADOWS_CANDIDATE_LOGGER_H_

#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"
#include "passes/instrument/logger_info.h"

namespace ns {

// Makes a disabled logger for the candidate of `info`: what `factory` makes, or
// an OutputComparisonLogger where it is null. Errors: what the factory returns,
// or a logger without the methods of NShadowsOptions::logger.
absl::StatusOr<c10::IValue> MakeCandidateLogger(const LoggerFactory& factory,
                                                const LoggerInfo& info);

// Makes a disabled logger for the float value that candidates are compared
// with, which keeps no activations.
c10::IValue MakeFloatLogger();

}  // namespace ns

#endif  // NS_N_SHADOWS_CANDIDATE_LOGGER_H_

// Describes where a comparison ran and which files it read, so that its report
// can be told from others.
#ifndef NS_COMPARE_DESCRIBE_RUN_H_
#define NS_COMPARE_DESCRIBE_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Returns the SHA-256 of the file `path` in hexadecimal digits. Error: a file
// that cannot be read.
absl::StatusOr<std::string> Sha256Of(const std::string& path);

// Returns the name of this processor, "x86_64" or the like where the system
// does not tell.
std::string ProcessorName();

// Sets `processor` and `engine` of `result`, and adds the path and the SHA-256
// of each of `paths`, the models and inputs, to its `files`. Error: a file that
// cannot be read.
absl::Status DescribeRun(const std::vector<std::string>& paths,
                         ComparisonResult& result);

}  // namespace ns

#endif  // NS_COMPARE_DESCRIBE_RUN_H_

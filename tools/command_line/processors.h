// Describes the processors that this process runs on.
#ifndef TOOLS_COMMAND_LINE_PROCESSORS_H_
#define TOOLS_COMMAND_LINE_PROCESSORS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns how many processors the affinity of this process and the quotas of
// its control groups allow, rounded down; at least 1. A container has a quota
// where it was started with `docker run --cpus` or a Kubernetes limit.
int AvailableProcessors();

// Returns the least quota, in processors, of the groups that `memberships`
// names and of those that they are in; nothing where none has a quota.
// `memberships` is what /proc/self/cgroup has, a line for each hierarchy, such
// as `0::/docker/a` (version 2) or `4:cpu,cpuacct:/docker/a` (version 1).
// `root` is the folder of the hierarchies, /sys/fs/cgroup.
std::optional<double> ProcessorQuota(absl::string_view memberships,
                                     const std::string& root);

// Returns which instructions of this processor the kernels of LibTorch and ns
// choose by, and the environment variables that limit them: "avx2 fma avx512f
// avx512_vnni, ONEDNN_MAX_CPU_ISA=AVX2". Where two machines differ in it, float
// and int8 kernels may round differently.
std::string InstructionSet();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_PROCESSORS_H_

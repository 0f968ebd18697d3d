#include "tools/command_line/processors.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ns {
namespace {

// Returns what a file has; nothing where it cannot be read.
std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns quota / period of two numbers, both of microseconds; nothing where
// the first is "max" or -1, which is no limit.
std::optional<double> Quota(absl::string_view quota, absl::string_view period) {
  double most = 0;
  double of = 0;
  if (!absl::SimpleAtod(quota, &most) || !absl::SimpleAtod(period, &of) ||
      most <= 0 || of <= 0) {
    return std::nullopt;
  }
  return most / of;
}

// Returns the quota of the group in `folder` itself.
std::optional<double> QuotaOf(const std::string& folder) {
  const std::string both = Contents(absl::StrCat(folder, "/cpu.max"));
  const std::vector<absl::string_view> words =
      absl::StrSplit(both, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  if (words.size() == 2) {
    return Quota(words[0], words[1]);
  }
  return Quota(Contents(absl::StrCat(folder, "/cpu.cfs_quota_us")),
               Contents(absl::StrCat(folder, "/cpu.cfs_period_us")));
}

// Returns the folder of the group that a line of /proc/self/cgroup names, below
// that of all hierarchies; nothing for a line of another controller.
std::optional<std::string> FolderOf(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 2));
  if (parts.size() != 3) {
    return std::nullopt;
  }
  if (parts[1].empty()) {
    return std::string(parts[2]);
  }
  const std::vector<absl::string_view> controllers =
      absl::StrSplit(parts[1], ',');
  return std::count(controllers.begin(), controllers.end(), "cpu") != 0
             ? std::optional(absl::StrCat("/cpu", parts[2]))
             : std::nullopt;
}

}  // namespace

std::optional<double> ProcessorQuota(absl::string_view memberships,
                                     const std::string& root) {
  std::optional<double> least;
  for (const absl::string_view line :
       absl::StrSplit(memberships, '\n', absl::SkipEmpty())) {
    std::optional<std::string> folder = FolderOf(line);
    // Inside of a container, its group is the root of what is mounted, and the
    // path may be that on the host: folders that are not there have no quota.
    while (folder) {
      const std::optional<double> quota = QuotaOf(absl::StrCat(root, *folder));
      if (quota && (!least || *quota < *least)) {
        least = quota;
      }
      const size_t end = folder->rfind('/');
      folder = end == std::string::npos ? std::nullopt
                                        : std::optional(folder->substr(0, end));
    }
  }
  return least;
}

int AvailableProcessors() {
  cpu_set_t set;
  int count = 1024;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    count = CPU_COUNT(&set);
  }
  const std::optional<double> quota =
      ProcessorQuota(Contents("/proc/self/cgroup"), "/sys/fs/cgroup");
  if (quota && *quota < count) {
    count = static_cast<int>(*quota);
  }
  return std::max(1, count);
}

std::string InstructionSet() {
  constexpr const char* kInstructions[] = {
      "avx",         "avx2",        "fma",      "avx512f",
      "avx512bw",    "avx512_vnni", "avx_vnni", "avx512_bf16",
      "avx512_fp16", "amx_int8",    "amx_bf16", "asimd",
      "asimddp",     "i8mm",        "bf16",     "sve"};
  constexpr const char* kVariables[] = {
      "ATEN_CPU_CAPABILITY", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA"};
  std::set<std::string> flags;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; flags.empty() && std::getline(info, line);) {
    // Of x86 and of ARM.
    if (absl::StartsWith(line, "flags") || absl::StartsWith(line, "Features")) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      flags.insert(words.begin(), words.end());
    }
  }
  std::vector<std::string> found;
  for (const char* const instruction : kInstructions) {
    if (flags.count(instruction) != 0) {
      found.emplace_back(instruction);
    }
  }
  std::string text = absl::StrJoin(found, " ");
  for (const char* const variable : kVariables) {
    if (const char* const value = std::getenv(variable)) {
      absl::StrAppend(&text, ", ", variable, "=", value);
    }
  }
  return text;
}

}  // namespace ns

#include "tools/flags/run_flags.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/batches/random_batches.h"
#include "tools/command_line/busy_watch.h"
#include "tools/command_line/processors.h"
#include "tools/command_line/threads.h"

namespace ns {
namespace {

constexpr int64_t kMostThreads = 1024;

}  // namespace

absl::StatusOr<RunFlags> ParseRunFlags(const Flags& flags) {
  RunFlags run;
  NS_ASSIGN_OR_RETURN(run.input_paths, ParseInputPaths(flags, "inputs"));
  NS_ASSIGN_OR_RETURN(run.max_batches, flags.Number("max-batches", 1));
  NS_ASSIGN_OR_RETURN(run.threads, flags.Number("threads", 1));
  if (run.threads.value_or(1) > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--threads=", *run.threads, " is more than ", kMostThreads));
  }
  return run;
}

absl::StatusOr<std::vector<std::string>> ParseInputPaths(
    const Flags& flags, absl::string_view name) {
  const std::string value = flags.Get(name);
  if (IsRandom(value)) {
    return std::vector<std::string>{value};
  }
  return flags.List(name);
}

std::vector<std::string> RandomInputsWarning(
    absl::Span<const std::string> paths) {
  if (absl::c_none_of(paths, [](const auto& path) { return IsRandom(path); })) {
    return {};
  }
  return {
      "the inputs are random numbers: what is measured on them, and chosen for "
      "them, does not hold for real data"};
}

void UseThreads(const RunFlags& flags) {
  if (flags.threads) {
    SetThreads(static_cast<int>(*flags.threads));
  } else if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    SetThreads(std::min(at::get_num_threads(), AvailableProcessors()));
  }
  if (at::get_num_threads() > 1) {
    static const BusyWatch watch;
  }
}

absl::StatusOr<BatchReader> OpenBatches(const RunFlags& flags) {
  return BatchReader::Open(flags.input_paths, flags.max_batches);
}

}  // namespace ns

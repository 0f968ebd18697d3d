#include "tools/commands/compare_shard.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/random_batches.h"
#include "ns/compare/compare.h"
#include "ns/compare/describe_run.h"
#include "ns/result/printable.h"
#include "ns/shards/shard.h"
#include "tools/command_line/file_identity.h"
#include "tools/command_line/processors.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/run_comparison.h"
#include "tools/flags/compare_spec.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

using Clock = std::chrono::steady_clock;

void Say(const std::string& line) {
  std::fprintf(stderr, "ns: %s\n", Printable(line).c_str());
}

// The progress of a shard that is not complete.
std::string ResumePath(const std::string& path) { return path + ".resume"; }

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Reads what an earlier process saved of the shard that `header` describes.
absl::StatusOr<ShardFile> ReadEarlier(const std::string& path,
                                      const ShardHeader& header) {
  NS_ASSIGN_OR_RETURN(ShardFile earlier, ReadShardFile(path));
  const absl::Status same =
      CheckSameRun(earlier.header, path, header, "this one");
  if (!same.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(same.message(), "; remove it to start again"));
  }
  if (earlier.header.shard.index != header.shard.index) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": is of shard ", earlier.header.shard.index, ", not of shard ",
        header.shard.index, "; remove it to start again"));
  }
  return earlier;
}

// Saves a shard, and its progress now and then.
class ShardSaver {
 public:
  ShardSaver(const ShardFlags& flags, ShardHeader header)
      : flags_(flags), header_(std::move(header)), last_(Clock::now()) {}

  absl::Status AfterBatch(int64_t done,
                          const std::function<std::string()>& state) {
    header_.done = done;
    // It may be the second one that was tried.
    header_.engine =
        absl::AsciiStrToLower(toString(at::globalContext().qEngine()));
    if (header_.IsComplete()) {
      NS_RETURN_IF_ERROR(
          WriteFileAtomically(flags_.path, ShardFileBytes(header_, state())));
      if (flags_.resume) {
        std::remove(ResumePath(flags_.path).c_str());
      }
      return absl::OkStatus();
    }
    const std::chrono::duration<double> since = Clock::now() - last_;
    if (!flags_.resume || since.count() < flags_.save_every_seconds) {
      return absl::OkStatus();
    }
    last_ = Clock::now();
    return WriteFileAtomically(ResumePath(flags_.path),
                               ShardFileBytes(header_, state()));
  }

 private:
  const ShardFlags& flags_;
  ShardHeader header_;
  Clock::time_point last_;
};

absl::Status Run(const Flags& flags, const CompareFlags& options,
                 const ShardFlags& shard) {
  NS_RETURN_IF_ERROR(PrepareOutputs({shard.path}));
  UseThreads(options.run);
  NS_ASSIGN_OR_RETURN(const BatchReader batches, OpenBatches(options.run));
  NS_ASSIGN_OR_RETURN(ShardHeader header, HeaderOfRun(flags, options));
  header.shard = shard.shard;
  header.batches = batches.size();
  CompareFilesOptions compare = options.compare;
  compare.compare.graphs = false;
  compare.progress = BarOf(options.outputs.quiet);
  ShardRun run;
  run.shard = shard.shard;
  if (shard.resume && Exists(shard.path)) {
    NS_ASSIGN_OR_RETURN(const ShardFile earlier,
                        ReadEarlier(shard.path, header));
    Say(absl::StrCat(shard.path, " is complete already"));
    return absl::OkStatus();
  }
  if (shard.resume && Exists(ResumePath(shard.path))) {
    NS_ASSIGN_OR_RETURN(ShardFile earlier,
                        ReadEarlier(ResumePath(shard.path), header));
    run.resumed = earlier.header.done;
    run.resumed_state = std::move(earlier.state);
    // Another engine would round differently.
    compare.models.engine = earlier.header.engine;
  }
  ShardSaver saver(shard, header);
  run.after_batch = [&](int64_t done,
                        const std::function<std::string()>& state) {
    return saver.AfterBatch(done, state);
  };
  const int64_t size = shard.shard.Size(batches.size());
  const int64_t resumed = run.resumed;
  compare.compare.shard = std::move(run);
  NS_RETURN_IF_ERROR(Compare(batches, compare).status());
  if (!options.outputs.quiet) {
    Say(absl::StrCat(
        "shard ", shard.shard.index, " of ", shard.shard.count, ": ", size,
        " of ", batches.size(), " batches",
        resumed > 0 ? absl::StrCat(", ", resumed, " of them resumed") : "",
        ", saved as ", shard.path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ShardHeader> HeaderOfRun(const Flags& flags,
                                        const CompareFlags& options) {
  ShardHeader header;
  header.arguments = ArgumentsOfRun(flags, CompareSpec());
  header.for_html = flags.Has("html");
  header.threads = at::get_num_threads();
  const auto add_hash = [&](const std::string& name,
                            const std::string& path) -> absl::Status {
    NS_ASSIGN_OR_RETURN(const std::string hash, Sha256Of(path));
    header.properties.push_back({name, absl::StrCat("sha256 ", hash)});
    return absl::OkStatus();
  };
  const auto add_file = [&](const std::string& name,
                            const std::string& path) -> absl::Status {
    NS_ASSIGN_OR_RETURN(std::string identity, FileIdentity(path));
    header.properties.push_back({name, std::move(identity)});
    return absl::OkStatus();
  };
  const CompareFilesOptions& compare = options.compare;
  NS_RETURN_IF_ERROR(add_hash("the float model", compare.models.float_path));
  NS_RETURN_IF_ERROR(
      add_hash("the quantized model", compare.models.quantized_path));
  for (const std::string& path : compare.input_paths) {
    if (!IsRandom(path)) {
      NS_RETURN_IF_ERROR(add_file("the inputs", path));
    }
  }
  if (!compare.task.labels_path.empty()) {
    NS_RETURN_IF_ERROR(add_file("the labels", compare.task.labels_path));
  }
  for (const MetricFile& metric : compare.metrics) {
    NS_RETURN_IF_ERROR(
        add_hash(absl::StrCat("the metric ", metric.name), metric.path));
  }
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> libraries,
                      flags.List("load-library"));
  for (const std::string& path : libraries) {
    NS_RETURN_IF_ERROR(add_hash("the library " + path, path));
  }
  header.properties.push_back({"LibTorch", TORCH_VERSION});
  header.properties.push_back({"the instruction set", InstructionSet()});
  return header;
}

CommandOutcome CompareShard(const Flags& flags, const CompareFlags& options,
                            const ShardFlags& shard) {
  if (absl::Status status = CheckCanBeSharded(flags); !status.ok()) {
    return CommandOutcome::WrongUsage(status);
  }
  std::vector<PathFlag> inputs = {
      {"float", options.compare.models.float_path},
      {"quantized", options.compare.models.quantized_path},
      {"labels", options.compare.task.labels_path}};
  for (const std::string& path : options.compare.input_paths) {
    inputs.push_back({"inputs", path});
  }
  for (const MetricFile& metric : options.compare.metrics) {
    inputs.push_back({"metric", metric.path});
  }
  const std::vector<PathFlag> output = {{"save-shard", shard.path}};
  for (const absl::Status& status :
       {CheckDistinct(output, inputs), CheckAreFiles(output)}) {
    if (!status.ok()) {
      return CommandOutcome::WrongUsage(status);
    }
  }
  const std::vector<std::string> ignored = LeftToMerge(flags, CompareSpec());
  if (!ignored.empty()) {
    Say(absl::StrCat(absl::StrJoin(ignored, " "),
                     ignored.size() == 1 ? ": is" : ": are",
                     " left to ns merge, and ignored by a shard"));
  }
  return CommandOutcome::Done(Run(flags, options, shard));
}

}  // namespace ns

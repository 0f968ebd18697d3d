#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/compare.h"
#include "ns/result/printable.h"
#include "ns/shards/shard_file.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/commands/compare_shard.h"
#include "tools/commands/run_comparison.h"
#include "tools/commands/shards_of_run.h"
#include "tools/flags/compare_flags.h"
#include "tools/flags/compare_spec.h"
#include "tools/flags/op_libraries.h"
#include "tools/flags/run_flags.h"
#include "tools/flags/shard_flags.h"

namespace ns {
namespace {

// The flags of the command: those of ns compare that say what is reported,
// under their headings.
std::vector<FlagSpec> MakeFlags() {
  std::vector<FlagSpec> flags = {
      Heading("shards"),
      {"partial", "",
       "report on the shards that are there, though others are missing"},
      {"status", "DIR",
       "only list the shards in this folder, and what is missing"}};
  FlagSpec heading = {};
  for (const FlagSpec& flag : CompareSpec().flags) {
    if (flag.name.empty()) {
      heading = flag;
    } else if (IsLeftToMerge(flag.name) && flag.name != "early-stop" &&
               flag.name != "max-score-drop") {
      if (!heading.help.empty()) {
        flags.push_back(std::exchange(heading, {}));
      }
      flags.push_back(flag);
    }
  }
  return flags;
}

const CommandSpec& MergeSpec() {
  static const std::vector<FlagSpec>& flags = *new auto(MakeFlags());
  static const CommandSpec spec = {
      "merge",
      "puts the shards of a comparison together",
      "ns merge SHARD... [--flag=value ...]",
      "Each SHARD is what ns compare --shard=I/N --save-shard=SHARD wrote, in "
      "any order. The\n"
      "reports are byte for byte those of one process that compares all "
      "batches; --html\n"
      "needs shards that were run with --html. The files of the comparison "
      "must "
      "be where\n"
      "the shards had them: run it in the same folder.\n",
      flags,
      "ns merge shard-0.ns shard-1.ns --json=merged.json",
      {},
      std::numeric_limits<size_t>::max(),
  };
  return spec;
}

std::string MissingText(const std::vector<int64_t>& missing,
                        const ShardAt& like) {
  std::vector<std::string> commands;
  for (const int64_t index : missing) {
    commands.push_back(CommandOf(index, like));
  }
  return absl::StrCat(
      missing.size() == 1 ? "shard " : "shards ", absl::StrJoin(missing, ", "),
      " of ", like.header.shard.count, missing.size() == 1 ? " is" : " are",
      " missing or not complete; run ", absl::StrJoin(commands, " && "),
      ", or pass --partial to report on the others");
}

// What is merged, and how it is reported.
struct Merging {
  CompareFlags compare;
  // The flags of the run, with those of the report.
  std::optional<Flags> flags;
};

// Returns the flags of one process that compares all and reports it.
absl::StatusOr<Flags> FlagsOfOneProcess(const ShardHeader& header,
                                        const Flags& flags) {
  std::vector<std::string> arguments;
  for (const std::string& argument : header.arguments) {
    // They need --json in one process; here they are merged in any case.
    if (argument != "--histograms" || flags.Has("json")) {
      arguments.push_back(argument);
    }
  }
  for (const FlagSpec& flag : MergeSpec().flags) {
    if (flags.Has(flag.name) && flag.name != "partial") {
      arguments.push_back(
          flag.value.empty()
              ? absl::StrCat("--", flag.name)
              : absl::StrCat("--", flag.name, "=", flags.Get(flag.name)));
    }
  }
  return Flags::Parse(arguments, CompareSpec());
}

absl::StatusOr<Merging> ParseMerging(const ShardHeader& header,
                                     const Flags& flags) {
  Merging merging;
  NS_ASSIGN_OR_RETURN(merging.flags, FlagsOfOneProcess(header, flags));
  NS_RETURN_IF_ERROR(LoadOpLibraries(*merging.flags));
  NS_ASSIGN_OR_RETURN(merging.compare, ParseCompareFlags(*merging.flags));
  CompareOptions& compare = merging.compare.compare.compare;
  const bool has_parts = !compare.shadows || header.for_html ||
                         absl::c_linear_search(header.arguments, "--parts");
  const bool has_histograms =
      header.for_html ||
      absl::c_linear_search(header.arguments, "--histograms");
  if (flags.Has("html") && !(has_parts && has_histograms)) {
    return absl::InvalidArgumentError(
        "--html shows parts and histograms, which these shards lack; run them "
        "with --html");
  }
  // The states have what the shards were run with.
  compare.parts = compare.shadows && has_parts;
  compare.histograms = has_histograms;
  merging.compare.run.threads = header.threads;
  return merging;
}

// Error: the files, or this machine, are not those of the shards.
absl::Status CheckIsSameHere(const ShardAt& shard, const Merging& merging) {
  UseThreads(merging.compare.run);
  NS_ASSIGN_OR_RETURN(ShardHeader here,
                      HeaderOfRun(*merging.flags, merging.compare));
  here.arguments = shard.header.arguments;
  here.shard = shard.header.shard;
  here.for_html = shard.header.for_html;
  NS_ASSIGN_OR_RETURN(const BatchReader batches,
                      OpenBatches(merging.compare.run));
  here.batches = batches.size();
  return CheckSameRun(shard.header, shard.path, here, "ns merge here");
}

absl::Status ForEachState(
    const std::vector<ShardAt>& shards,
    const std::function<absl::Status(absl::string_view state)>& merge) {
  for (const ShardAt& shard : shards) {
    NS_ASSIGN_OR_RETURN(const ShardFile file, ReadShardFile(shard.path));
    NS_RETURN_IF_ERROR(CheckSameRun(file.header, shard.path, shard.header,
                                    "it was a moment ago"));
    NS_RETURN_IF_ERROR(Annotated(shard.path, merge(file.state)));
  }
  return absl::OkStatus();
}

// Returns "5 of 7 batches; missing or not complete: shards 1 of 3".
std::string PartialText(const std::vector<ShardAt>& shards,
                        const std::vector<int64_t>& missing) {
  int64_t done = 0;
  for (const ShardAt& shard : shards) {
    done += shard.header.done;
  }
  return absl::StrCat(done, " of ", shards[0].header.batches,
                      " batches; missing or not complete: ",
                      missing.size() == 1 ? "shard " : "shards ",
                      absl::StrJoin(missing, ", "), " of ",
                      shards[0].header.shard.count);
}

CommandOutcome Merge(const Flags& flags, std::vector<ShardAt> shards) {
  if (absl::Status status = SortShardsOfOneRun(shards); !status.ok()) {
    return CommandOutcome::Failed(status);
  }
  const std::vector<int64_t> missing = MissingShards(shards);
  if (!missing.empty() && !flags.Has("partial")) {
    return CommandOutcome::Failed(
        absl::InvalidArgumentError(MissingText(missing, shards[0])));
  }
  absl::StatusOr<Merging> merging = ParseMerging(shards[0].header, flags);
  if (!merging.ok()) {
    return CommandOutcome::WrongUsage(merging.status());
  }
  if (absl::Status status = CheckIsSameHere(shards[0], *merging);
      !status.ok()) {
    return CommandOutcome::Failed(status);
  }
  MergeRun run;
  run.batches = BatchesOf(shards);
  if (run.batches.empty()) {
    return CommandOutcome::Failed(absl::InvalidArgumentError(
        absl::StrCat(shards[0].path, ": none of these shards has a batch")));
  }
  run.for_each_state =
      [&shards](const std::function<absl::Status(absl::string_view)>& merge) {
        return ForEachState(shards, merge);
      };
  CompareFilesOptions& compare = merging->compare.compare;
  compare.compare.merge = std::move(run);
  compare.task.has_more_labels |= !missing.empty();
  for (const ShardAt& shard : shards) {
    if (shard.header.done > 0) {
      compare.engine_of_shards = shard.header.engine;
    }
  }
  return RunComparison(merging->compare,
                       missing.empty()
                           ? std::nullopt
                           : std::optional(PartialText(shards, missing)));
}

// Returns the paths of the files in a folder that may be shards. Those are
// never empty, nor hidden, as files that are still being written are.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const bool may_be_shard = it->is_regular_file(ignored) &&
                              it->file_size(ignored) > 0 &&
                              it->path().filename().string()[0] != '.';
    if (may_be_shard) {
      paths.push_back(it->path().string());
    }
  }
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": ", error.message(), "; name a folder"));
  }
  absl::c_sort(paths);
  return paths;
}

// Lists the shards of one run in a folder.
absl::Status ListShards(const std::string& folder) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesIn(folder));
  std::vector<ShardAt> shards;
  for (const std::string& path : paths) {
    absl::StatusOr<ShardAt> shard = ReadShardHeader(path);
    if (shard.ok()) {
      shards.push_back(*std::move(shard));
    } else if (!absl::IsNotFound(shard.status())) {
      return shard.status();
    }
  }
  if (shards.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": contains no shard file"));
  }
  NS_RETURN_IF_ERROR(SortShardsOfOneRun(shards));
  int64_t done = 0;
  for (const ShardAt& shard : shards) {
    done += shard.header.done;
    std::printf(
        "shard %s of %s: %s of %s batches, %s\n",
        absl::StrCat(shard.header.shard.index).c_str(),
        absl::StrCat(shard.header.shard.count).c_str(),
        absl::StrCat(shard.header.done).c_str(),
        absl::StrCat(shard.header.shard.Size(shard.header.batches)).c_str(),
        Printable(shard.path).c_str());
  }
  const std::vector<int64_t> missing = MissingShards(shards);
  std::printf("%s of %s batches, %s of %s shards complete\n",
              absl::StrCat(done).c_str(),
              absl::StrCat(shards[0].header.batches).c_str(),
              absl::StrCat(shards[0].header.shard.count -
                           static_cast<int64_t>(missing.size()))
                  .c_str(),
              absl::StrCat(shards[0].header.shard.count).c_str());
  for (const int64_t index : missing) {
    std::printf("%s\n", CommandOf(index, shards[0]).c_str());
  }
  return absl::OkStatus();
}

CommandOutcome Run(const Flags& flags) {
  if (flags.Has("status")) {
    if (!flags.arguments().empty()) {
      return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
          "--status lists the shards in its folder; give no others"));
    }
    return CommandOutcome::Done(ListShards(flags.Get("status")));
  }
  if (flags.arguments().empty()) {
    return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
        "merge needs shards: ns merge SHARD..., where ns compare --shard=I/N "
        "--save-shard=SHARD writes one"));
  }
  std::vector<ShardAt> shards;
  for (const std::string& path : flags.arguments()) {
    absl::StatusOr<ShardAt> shard = ReadShardHeader(path);
    if (!shard.ok()) {
      return CommandOutcome::Failed(shard.status());
    }
    shards.push_back(*std::move(shard));
  }
  std::vector<PathFlag> inputs;
  for (const ShardAt& shard : shards) {
    inputs.push_back({"shard", shard.path});
  }
  absl::Status distinct = CheckDistinct({{"json", flags.Get("json")},
                                         {"csv", flags.Get("csv")},
                                         {"html", flags.Get("html")},
                                         {"junit", flags.Get("junit")}},
                                        inputs);
  if (!distinct.ok()) {
    return CommandOutcome::WrongUsage(distinct);
  }
  return Merge(flags, std::move(shards));
}

}  // namespace

Command MergeCommand() { return {&MergeSpec(), Run}; }

}  // namespace ns

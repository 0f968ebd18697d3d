#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/compare.h"
#include "ns/result/printable.h"
#include "ns/result/shell_word.h"
#include "ns/shards/shard_file.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/commands/compare_shard.h"
#include "tools/commands/run_comparison.h"
#include "tools/flags/compare_flags.h"
#include "tools/flags/compare_spec.h"
#include "tools/flags/limit_flags.h"
#include "tools/flags/op_libraries.h"
#include "tools/flags/run_flags.h"
#include "tools/flags/shard_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"partial", "",
     "report on the shards that are there, though others are missing"},
    {"status", "DIR",
     "only list the shards in this folder, and what is missing"},
    {"json", "PATH", "write the results as JSON; - is standard output"},
    {"csv", "PATH", "write the results as CSV; - is standard output"},
    {"html", "PATH",
     "write the report there, one file for a browser; - is standard output; "
     "the shards need --html, too"},
    {"graph", "",
     "put the graphs of both models, the processor and hashes of all files "
     "into the JSON, as --html does"},
    kFailBelowFlag,
    kMaxClipFlag,
    kMaxDeadChannelsFlag,
    kFailBelowOutputFlag,
    kMaxUnmatchedFlag,
    kBaselineFlag,
    kMaxDropFlag,
    kMaxOutputDropFlag,
    kJunitFlag,
    {"sort", "ORDER",
     "rows by graph (execution, default) or error (worst first)"},
    {"top", "N", "only the N worst rows, worst first"},
    {"coverage", "", "tell what is quantized, and why the rest is not"},
    {"source", "", "show where each layer is in the code of the model"},
    {"quiet", "", "no table"},
};

constexpr CommandSpec kSpec = {
    "merge",
    "puts the shards of a comparison together",
    "ns merge SHARD... [--flag=value ...]",
    "Each SHARD is what ns compare --shard=I/N --save-shard=SHARD wrote, in "
    "any order. The\n"
    "reports are byte for byte those of one process that compares all "
    "batches. The files of\n"
    "the comparison must be where the shards had them: run it in the same "
    "folder.\n",
    kFlags,
    "ns merge shard-0.ns shard-1.ns --json=merged.json",
    {},
    std::numeric_limits<size_t>::max(),
};

// A shard file, without its state.
struct ShardAt {
  std::string path;
  ShardHeader header;
};

absl::StatusOr<ShardAt> ReadHeaderAt(const std::string& path) {
  NS_ASSIGN_OR_RETURN(ShardFile file, ReadShardFile(path));
  return ShardAt{path, std::move(file.header)};
}

void SortByIndex(std::vector<ShardAt>& shards) {
  absl::c_stable_sort(shards, [](const ShardAt& a, const ShardAt& b) {
    return a.header.shard.index < b.header.shard.index;
  });
}

// The indices of shards that are not there, or not complete.
std::vector<int64_t> Missing(const std::vector<ShardAt>& shards) {
  std::vector<bool> complete(static_cast<size_t>(shards[0].header.shard.count));
  for (const ShardAt& shard : shards) {
    complete[static_cast<size_t>(shard.header.shard.index)] =
        shard.header.IsComplete();
  }
  std::vector<int64_t> missing;
  for (size_t i = 0; i < complete.size(); ++i) {
    if (!complete[i]) {
      missing.push_back(static_cast<int64_t>(i));
    }
  }
  return missing;
}

// The path of shard `index`, named as the one at `like` is: its number is
// replaced where its name has it.
std::string PathOf(int64_t index, const ShardAt& like) {
  const size_t slash = like.path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "" : like.path.substr(0, slash + 1);
  std::string name = like.path.substr(folder.size());
  if (absl::EndsWith(name, ".resume")) {
    name.resize(name.size() - 7);
  }
  const std::string number = absl::StrCat(like.header.shard.index);
  for (size_t at = name.rfind(number); at != std::string::npos && !name.empty();
       at = at == 0 ? std::string::npos : name.rfind(number, at - 1)) {
    const size_t end = at + number.size();
    const bool is_whole =
        (at == 0 || !absl::ascii_isdigit(name[at - 1])) &&
        (end == name.size() || !absl::ascii_isdigit(name[end]));
    if (is_whole) {
      return absl::StrCat(folder, name.substr(0, at), index, name.substr(end));
    }
  }
  return absl::StrCat(folder, "shard-", index, ".ns");
}

// The command that runs shard `index` of the run that `like` is of.
std::string CommandOf(int64_t index, const ShardAt& like) {
  std::string command = "ns compare";
  for (const std::string& argument : like.header.arguments) {
    // The name of a flag is no path.
    const size_t value = argument.find('=');
    absl::StrAppend(&command, " ",
                    value == std::string::npos
                        ? argument
                        : absl::StrCat(argument.substr(0, value + 1),
                                       ShellWord(argument.substr(value + 1))));
  }
  if (like.header.for_html) {
    absl::StrAppend(&command, " --html=-");
  }
  absl::StrAppend(&command, " --threads=", like.header.threads,
                  " --shard=", index, "/", like.header.shard.count,
                  " --save-shard=", ShellWord(PathOf(index, like)),
                  " --resume");
  return command;
}

// Error: shards of different runs, or one that is given twice.
absl::Status CheckFitTogether(const std::vector<ShardAt>& shards) {
  for (size_t i = 1; i < shards.size(); ++i) {
    // A shard without batches ran by no engine.
    const auto ran = absl::c_find_if(
        shards, [](const ShardAt& shard) { return shard.header.done > 0; });
    const ShardAt& first = ran == shards.end() ? shards[0] : *ran;
    NS_RETURN_IF_ERROR(CheckSameRun(shards[i].header, shards[i].path,
                                    first.header, first.path));
    if (shards[i].header.shard.index == shards[i - 1].header.shard.index) {
      return absl::InvalidArgumentError(absl::StrCat(
          shards[i - 1].path, " and ", shards[i].path, " are both shard ",
          shards[i].header.shard.index, "; give it once"));
    }
  }
  return absl::OkStatus();
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

// The batches of all shards, ascending.
std::vector<int64_t> BatchesOf(const std::vector<ShardAt>& shards) {
  std::vector<int64_t> batches;
  for (const ShardAt& shard : shards) {
    for (int64_t i = 0; i < shard.header.done; ++i) {
      batches.push_back(shard.header.shard.BatchAt(i));
    }
  }
  absl::c_sort(batches);
  return batches;
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
  for (const FlagSpec& flag : kFlags) {
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
  SortByIndex(shards);
  if (absl::Status status = CheckFitTogether(shards); !status.ok()) {
    return CommandOutcome::Failed(status);
  }
  const std::vector<int64_t> missing = Missing(shards);
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

absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": is not a directory that can be read"));
  }
  std::vector<std::string> paths;
  while (const dirent* const entry = readdir(directory)) {
    if (entry->d_name[0] != '.') {
      paths.push_back(absl::StrCat(folder, "/", entry->d_name));
    }
  }
  closedir(directory);
  absl::c_sort(paths);
  return paths;
}

// Lists the shards of one run in a folder.
absl::Status ListShards(const std::string& folder) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesIn(folder));
  std::vector<ShardAt> shards;
  for (const std::string& path : paths) {
    absl::StatusOr<ShardAt> shard = ReadHeaderAt(path);
    if (shard.ok()) {
      shards.push_back(*std::move(shard));
    } else if (absl::StrContains(shard.status().message(), "damaged")) {
      return shard.status();
    }
  }
  if (shards.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": contains no shard file"));
  }
  SortByIndex(shards);
  NS_RETURN_IF_ERROR(CheckFitTogether(shards));
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
  const std::vector<int64_t> missing = Missing(shards);
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
    absl::StatusOr<ShardAt> shard = ReadHeaderAt(path);
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

Command MergeCommand() { return {&kSpec, Run}; }

}  // namespace ns

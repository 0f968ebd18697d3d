#include "tools/flags/shard_flags.h"

#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"

namespace ns {
namespace {

constexpr int64_t kMostShards = 1'000'000;

// How an engine tells a process which one it is. Where `count` is empty, the
// engine does not say how many there are.
struct Engine {
  const char* name;
  const char* index;
  const char* count;
};

// The first one that is set counts. SLURM_PROCID is the last, because Slurm
// sets it in every job.
constexpr Engine kEngines[] = {
    {"Kubernetes", "JOB_COMPLETION_INDEX", ""},
    {"torchrun", "RANK", "WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS"},
};

// Figures that shards cannot merge exactly, or do not have.
struct Refusal {
  absl::string_view flag;
  absl::string_view reason;
};
constexpr Refusal kRefusals[] = {
    {"emulate", "it runs the model a second time after all batches"},
    {"inputs-b", "only the batches of --inputs are split"},
    {"reference", "only runs of both models are split"},
    {"samples", "samples are chosen among those of all batches"},
    {"save-activations", "its budget is for the files of all batches"},
    {"score", "what a score module keeps between batches cannot be merged"},
    {"suggest", "changes are tried after all batches"},
    {"time", "each machine would measure other times"},
};

constexpr absl::string_view kLeftToMerge[] = {"baseline",
                                              "coverage",
                                              "csv",
                                              "early-stop",
                                              "fail-below",
                                              "fail-below-output",
                                              "graph",
                                              "html",
                                              "json",
                                              "junit",
                                              "max-clip",
                                              "max-dead-channels",
                                              "max-drop",
                                              "max-output-drop",
                                              "max-score-drop",
                                              "max-unmatched",
                                              "quiet",
                                              "sort",
                                              "source",
                                              "top"};

// Flags of the process, not of the run.
constexpr absl::string_view kOfProcess[] = {"resume", "save-every",
                                            "save-shard", "shard", "threads"};

absl::StatusOr<int64_t> NumberIn(const char* variable, const char* value,
                                 int64_t least) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number < least) {
    return absl::InvalidArgumentError(
        absl::StrCat("--shard=auto: ", variable, "=", value,
                     " is not a number of at least ", least));
  }
  return number;
}

absl::StatusOr<Shard> Checked(Shard shard) {
  if (shard.count < 1 || shard.count > kMostShards) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard: there are ", shard.count, " shards; use 1 to ", kMostShards));
  }
  if (shard.index < 0 || shard.index >= shard.count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard: there is no shard ", shard.index, " of ", shard.count,
        "; shards are numbered from 0 to ", shard.count - 1));
  }
  return shard;
}

// Arrays of Slurm need not start at 0, nor have a step of 1.
absl::StatusOr<Shard> OfSlurmArray(const Environment& environment,
                                   const char* id) {
  const auto number = [&](const char* name,
                          int64_t otherwise) -> absl::StatusOr<int64_t> {
    const char* const value = environment(name);
    return value == nullptr ? otherwise : NumberIn(name, value, 0);
  };
  NS_ASSIGN_OR_RETURN(const int64_t task,
                      NumberIn("SLURM_ARRAY_TASK_ID", id, 0));
  NS_ASSIGN_OR_RETURN(const int64_t first, number("SLURM_ARRAY_TASK_MIN", 0));
  NS_ASSIGN_OR_RETURN(const int64_t step, number("SLURM_ARRAY_TASK_STEP", 1));
  NS_ASSIGN_OR_RETURN(const int64_t count, number("SLURM_ARRAY_TASK_COUNT", 0));
  if (step < 1 || (task - first) % step != 0 || task < first) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard=auto: SLURM_ARRAY_TASK_ID=", task, " is not one of ", first,
        ", ", first + step, ", ..., as SLURM_ARRAY_TASK_MIN and _STEP say"));
  }
  return Shard{(task - first) / step, count};
}

// What the environment says; the count is 0 where it does not.
absl::StatusOr<Shard> FromEnvironment(const Environment& environment) {
  if (const char* const id = environment("SLURM_ARRAY_TASK_ID")) {
    return OfSlurmArray(environment, id);
  }
  for (const Engine& engine : kEngines) {
    const char* const index = environment(engine.index);
    if (index == nullptr) {
      continue;
    }
    Shard shard{0, 0};
    NS_ASSIGN_OR_RETURN(shard.index, NumberIn(engine.index, index, 0));
    const char* const count =
        *engine.count == '\0' ? nullptr : environment(engine.count);
    if (count != nullptr) {
      NS_ASSIGN_OR_RETURN(shard.count, NumberIn(engine.count, count, 1));
    }
    return shard;
  }
  std::string variables = "SLURM_ARRAY_TASK_ID";
  for (const Engine& engine : kEngines) {
    absl::StrAppend(&variables, ", ", engine.index);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--shard=auto: the environment has none of ", variables,
      "; start it by an engine that sets one of them, or pass --shard=I/N"));
}

absl::StatusOr<Shard> Auto(absl::string_view count_text,
                           const Environment& environment) {
  NS_ASSIGN_OR_RETURN(Shard shard, FromEnvironment(environment));
  if (!count_text.empty()) {
    if (!absl::SimpleAtoi(count_text, &shard.count)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--shard=auto/", count_text, ": ", count_text, " is not a number"));
    }
  } else if (shard.count == 0) {
    return absl::InvalidArgumentError(
        "--shard=auto: the environment does not say how many shards there are; "
        "pass --shard=auto/N");
  }
  return Checked(shard);
}

}  // namespace

absl::StatusOr<Shard> ParseShard(absl::string_view text,
                                 const Environment& environment) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  if (text == "auto" || (parts.first == "auto" && !parts.second.empty())) {
    return Auto(parts.second, environment);
  }
  Shard shard;
  if (!absl::SimpleAtoi(parts.first, &shard.index) ||
      !absl::SimpleAtoi(parts.second, &shard.count)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard=", text, " is not I/N, auto or auto/N, such as 0/8"));
  }
  return Checked(shard);
}

absl::StatusOr<std::optional<ShardFlags>> ParseShardFlags(const Flags& flags) {
  for (const auto& [flag, needed] :
       {std::pair("save-shard", "shard"), std::pair("resume", "shard"),
        std::pair("save-every", "resume")}) {
    if (flags.Has(flag) && !flags.Has(needed)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, " needs --", needed));
    }
  }
  if (!flags.Has("shard")) {
    return std::nullopt;
  }
  ShardFlags parsed;
  NS_ASSIGN_OR_RETURN(parsed.shard,
                      ParseShard(flags.Get("shard"), [](const char* name) {
                        return std::getenv(name);
                      }));
  if (!flags.Has("save-shard")) {
    return absl::InvalidArgumentError(
        "--shard needs --save-shard=PATH, the file that ns merge reads");
  }
  parsed.path = flags.Get("save-shard");
  parsed.resume = flags.Has("resume");
  NS_ASSIGN_OR_RETURN(const std::optional<int64_t> seconds,
                      flags.Number("save-every", 0));
  if (seconds) {
    parsed.save_every_seconds = static_cast<double>(*seconds);
  }
  return parsed;
}

absl::Status CheckCanBeSharded(const Flags& flags) {
  for (const Refusal& refusal : kRefusals) {
    if (flags.Has(refusal.flag)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", refusal.flag,
                       " cannot be combined with --shard: ", refusal.reason));
    }
  }
  if (!flags.Has("inputs")) {
    return absl::InvalidArgumentError(
        "--shard splits the batches of --inputs=PATH, which is not given");
  }
  const std::string what = flags.Get("what");
  for (const absl::string_view kind : absl::StrSplit(what, ',')) {
    if (kind == "stubs" || kind == "outputs") {
      return absl::InvalidArgumentError(absl::StrCat(
          "--what=", kind,
          " cannot be combined with --shard: whole modules are compared in one "
          "process"));
    }
  }
  if (what == "weights") {
    return absl::InvalidArgumentError(
        "--what=weights runs no batches that --shard could split");
  }
  return absl::OkStatus();
}

bool IsLeftToMerge(absl::string_view flag) {
  return absl::c_linear_search(kLeftToMerge, flag);
}

std::vector<std::string> ArgumentsOfRun(const Flags& flags,
                                        const CommandSpec& spec) {
  std::vector<std::string> arguments;
  for (const FlagSpec& flag : spec.flags) {
    if (!flags.Has(flag.name) || IsLeftToMerge(flag.name) ||
        absl::c_linear_search(kOfProcess, flag.name)) {
      continue;
    }
    arguments.push_back(
        flag.value.empty()
            ? absl::StrCat("--", flag.name)
            : absl::StrCat("--", flag.name, "=", flags.Get(flag.name)));
  }
  return arguments;
}

std::vector<std::string> LeftToMerge(const Flags& flags,
                                     const CommandSpec& spec) {
  std::vector<std::string> names;
  for (const FlagSpec& flag : spec.flags) {
    if (flag.name != "quiet" && flags.Has(flag.name) &&
        IsLeftToMerge(flag.name)) {
      names.push_back(absl::StrCat("--", flag.name));
    }
  }
  return names;
}

}  // namespace ns

#include "tools/commands/shards_of_run.h"

#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/result/shell_word.h"

namespace ns {
namespace {

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

}  // namespace

absl::StatusOr<ShardAt> ReadShardHeader(const std::string& path) {
  NS_ASSIGN_OR_RETURN(ShardFile file, ReadShardFile(path));
  return ShardAt{path, std::move(file.header)};
}

absl::Status SortShardsOfOneRun(std::vector<ShardAt>& shards) {
  absl::c_stable_sort(shards, [](const ShardAt& a, const ShardAt& b) {
    return a.header.shard.index < b.header.shard.index;
  });
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

std::vector<int64_t> MissingShards(const std::vector<ShardAt>& shards) {
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

}  // namespace ns

#include "ns/eager/find_match.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ns {
namespace {

using Parts = std::vector<absl::string_view>;

Parts PartsOf(absl::string_view key) {
  return key.empty() ? Parts() : Parts(absl::StrSplit(key, '.'));
}

// Joins the first parts of `parts`, all but `dropped`, without dots between
// them.
std::string Joined(const Parts& parts, size_t dropped) {
  const size_t count = parts.size() - std::min(dropped, parts.size());
  return absl::StrJoin(parts.begin(), parts.begin() + count, "");
}

std::optional<std::string> FindJoined(const std::vector<std::string>& keys,
                                      const std::string& path) {
  for (const std::string& key : keys) {
    const Parts parts = PartsOf(key);
    if (path == Joined(parts, 1) || path == Joined(parts, 2)) {
      return key;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMatch(const std::vector<std::string>& keys,
                                     absl::string_view path,
                                     absl::string_view name) {
  const Parts wanted = PartsOf(path);
  const auto find = [&](size_t between) -> std::optional<std::string> {
    for (const std::string& key : keys) {
      const Parts parts = PartsOf(key);
      if (parts.size() == wanted.size() + between + 1 && parts.back() == name &&
          std::equal(wanted.begin(), wanted.end(), parts.begin())) {
        return key;
      }
    }
    return std::nullopt;
  };
  std::optional<std::string> match = find(0);
  return match || wanted.empty() ? match : find(1);
}

std::optional<std::string> FindMatchAsReference(
    const std::vector<std::string>& keys, absl::string_view key,
    absl::string_view postfix) {
  const Parts parts = PartsOf(key);
  if (parts.empty() || parts.back() != postfix) {
    return std::nullopt;
  }
  std::optional<std::string> match = FindJoined(keys, Joined(parts, 1));
  if (!match && postfix == "_packed_params") {
    const std::string module = Joined(parts, 2);
    match = module.empty() ? std::nullopt : FindJoined(keys, module);
  }
  return match;
}

}  // namespace ns

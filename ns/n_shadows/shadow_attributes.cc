#include "ns/n_shadows/shadow_attributes.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

constexpr char kModelNamePrefix[] = "subgraph_";
constexpr char kCandidateNames[] = "ns_n_shadows";

}  // namespace

std::string ShadowModelName(const ShadowIndex& index) {
  return absl::StrCat(kModelNamePrefix, index.subgraph, "_", index.candidate);
}

std::optional<ShadowIndex> ParseShadowModelName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kModelNamePrefix)) {
    return std::nullopt;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '_');
  ShadowIndex index;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &index.subgraph) ||
      !absl::SimpleAtoi(parts[1], &index.candidate)) {
    return std::nullopt;
  }
  return index;
}

LoggerInfo ShadowLoggerInfo(const FloatSubgraph& subgraph,
                            const ShadowIndex& index) {
  LoggerInfo info;
  info.layer = subgraph.name;
  info.type = kNodeOutputResult;
  info.model_name = ShadowModelName(index);
  info.ref_node_name = NodeName(*subgraph.subgraph.base);
  info.ref_node_target_type = subgraph.op;
  info.prev_node_name = NodeName(*subgraph.subgraph.end);
  info.prev_node_target_type = std::string(OpName(*subgraph.subgraph.end));
  info.fqn = subgraph.fqn;
  return info;
}

void AttachCandidateNames(torch::jit::Module& module,
                          const std::map<std::string, std::string>& names) {
  c10::Dict<std::string, std::string> attribute;
  for (const auto& [shadow, candidate] : names) {
    attribute.insert(shadow, candidate);
  }
  module.register_attribute(
      kCandidateNames,
      c10::DictType::create(c10::StringType::get(), c10::StringType::get()),
      attribute);
}

std::optional<std::map<std::string, std::string>> AttachedCandidateNames(
    const torch::jit::Module& module) {
  if (!module.hasattr(kCandidateNames)) {
    return std::nullopt;
  }
  std::map<std::string, std::string> names;
  for (const auto& entry : module.attr(kCandidateNames).toGenericDict()) {
    names[entry.key().toStringRef()] = entry.value().toStringRef();
  }
  return names;
}

}  // namespace ns

#include "tools/flags/model_pair.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/base/status.h"
#include "tools/flags/engine_flag.h"

namespace ns {
namespace {

// The types that users may give to their own ops.
constexpr Numerics kIoTypes[] = {Numerics::kFloat, Numerics::kInt8,
                                 Numerics::kEither};

}  // namespace

absl::StatusOr<ModelPairOptions> ParseModelPair(const Flags& flags) {
  ModelPairOptions options;
  NS_ASSIGN_OR_RETURN(options.float_path, flags.Required("float"));
  NS_ASSIGN_OR_RETURN(options.quantized_path, flags.Required("quantized"));
  options.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(options.engine, ParseEngine(flags));
  NS_ASSIGN_OR_RETURN(options.leaves, flags.List("leaf"));
  return options;
}

absl::StatusOr<MatchOptions> ParseMatchOptions(const Flags& flags) {
  MatchOptions options;
  NS_ASSIGN_OR_RETURN(const std::string matching,
                      flags.Choice("matching", {"aligned", "strict"}));
  options.mode =
      matching == "strict" ? MatchingMode::kStrict : MatchingMode::kAligned;
  NS_ASSIGN_OR_RETURN(const std::string names,
                      flags.Choice("names", {"quantized", "float"}));
  options.naming = names == "float" ? LayerNaming::kByA : LayerNaming::kByB;
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> pairs,
                      flags.List("relate"));
  for (const std::string& pair : pairs) {
    const std::vector<std::string> ops = absl::StrSplit(pair, '=');
    if (ops.size() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("--relate=", pair, " is not of the form A=B"));
    }
    if (absl::Status status =
            options.relations.AddOpToSetsOfRelatedOps(ops[0], ops[1]);
        !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--relate=", pair, ": ", status.message()));
    }
  }
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> unmatchable,
                      flags.List("unmatchable"));
  for (const std::string& op : unmatchable) {
    if (absl::Status status = options.unmatchable.Add(op); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--unmatchable=", op, ": ", status.message()));
    }
  }
  return options;
}

absl::StatusOr<OpIoTypes> ParseIoTypes(const Flags& flags) {
  OpIoTypes io_types;
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> pairs,
                      flags.List("io-type"));
  for (const std::string& pair : pairs) {
    const std::vector<std::string> parts = absl::StrSplit(pair, '=');
    const auto numerics =
        parts.size() == 2
            ? absl::c_find_if(
                  kIoTypes,
                  [&](Numerics one) { return IoTypeName(one) == parts[1]; })
            : std::end(kIoTypes);
    if (numerics == std::end(kIoTypes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--io-type=", pair,
                       " is not of the form OP=TYPE, with one of float, int8, "
                       "either"));
    }
    if (absl::Status status = io_types.Set(parts[0], *numerics); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--io-type=", pair, ": ", status.message()));
    }
  }
  return io_types;
}

}  // namespace ns

#include "passes/registry/parse_pipeline.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "passes/pipeline/pass_options.h"

namespace ns {
namespace {

absl::StatusOr<const PassEntry*> FindPass(absl::Span<const PassEntry> passes,
                                          absl::string_view name) {
  const auto it = absl::c_find_if(
      passes, [&](const PassEntry& entry) { return entry.name == name; });
  if (it != passes.end()) {
    return &*it;
  }
  std::vector<absl::string_view> names;
  for (const PassEntry& entry : passes) {
    names.push_back(entry.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown pass '", name, "'; ",
                   DidYouMean(name, names, "see --list-passes")));
}

absl::Status WithPass(absl::string_view name, const absl::Status& status) {
  return Annotated(absl::StrCat("pass '", name, "'"), status);
}

// Takes the option `on`, which all passes of one model have, out of `values`.
absl::StatusOr<bool> TakeOnFloat(PassOptions::Values& values) {
  const auto it = absl::c_find_if(
      values, [](const auto& value) { return value.first == "on"; });
  if (it == values.end()) {
    return false;
  }
  const std::string model = it->second;
  if (model != "float" && model != "quantized") {
    return absl::InvalidArgumentError(
        absl::StrCat("option 'on' is '", model, "'; use quantized or float"));
  }
  values.erase(it);
  return model == "float";
}

// Adds the pass of `entry`, with options whose values are `values`.
absl::Status Add(const PassEntry& entry, PassOptions::Values values,
                 PairPipeline& pipeline) {
  if (entry.make == nullptr) {
    NS_ASSIGN_OR_RETURN(const PassOptions options,
                        PassOptions::Create(std::move(values), entry.options));
    NS_ASSIGN_OR_RETURN(std::unique_ptr<PairPass> pass,
                        entry.make_pair(options));
    pipeline.Add(std::move(pass));
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const bool on_float, TakeOnFloat(values));
  NS_ASSIGN_OR_RETURN(const PassOptions options,
                      PassOptions::Create(std::move(values), entry.options));
  NS_ASSIGN_OR_RETURN(std::unique_ptr<Pass> pass, entry.make(options));
  if (on_float) {
    pipeline.AddToFloat(std::move(pass));
  } else {
    pipeline.Add(std::move(pass));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PairPipeline> ParsePipeline(absl::string_view text,
                                           absl::Span<const PassEntry> passes) {
  NS_ASSIGN_OR_RETURN(std::vector<PassSpec> specs, ParsePassSpecs(text));
  PairPipeline pipeline;
  for (PassSpec& spec : specs) {
    NS_ASSIGN_OR_RETURN(const PassEntry* entry, FindPass(passes, spec.name));
    NS_RETURN_IF_ERROR(
        WithPass(spec.name, Add(*entry, std::move(spec.options), pipeline)));
  }
  return pipeline;
}

}  // namespace ns

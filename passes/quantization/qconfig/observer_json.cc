#include "passes/quantization/qconfig/observer_json.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/json/json_text.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using Json = llvm::json::Value;

// Fields beside the options of the observer.
constexpr char kFakeQuantize[] = "fake_quantize";
constexpr char kFused[] = "fused";
constexpr char kPath[] = "path";

std::string OptionJson(OptionType type, const std::string& value) {
  double number = 0;
  const bool is_quoted =
      type == OptionType::kText ||
      (absl::SimpleAtod(value, &number) && !std::isfinite(number));
  return is_quoted ? QuoteJson(value) : value;
}

absl::StatusOr<std::string> OptionText(OptionType type, const Json& value) {
  const std::optional<std::string> text = TextOf(value);
  switch (type) {
    case OptionType::kBoolean:
      if (!value.getAsBoolean()) {
        return MustBe(value, "true or false");
      }
      break;
    case OptionType::kInteger:
      if (!value.getAsInteger()) {
        return MustBe(value, "an integer");
      }
      break;
    case OptionType::kNumber:
      // What JSON has no numbers for is text.
      if (text && (*text == "inf" || *text == "-inf" || *text == "nan" ||
                   *text == "-nan")) {
        return *text;
      }
      if (!value.getAsNumber()) {
        return MustBe(value, "a number");
      }
      break;
    case OptionType::kText:
      if (!text) {
        return MustBe(value, "a string");
      }
      return *text;
  }
  return JsonText(value);
}

// The one of `options` called `name`; null when there is none.
const ObserverOption* FindOption(const std::vector<ObserverOption>& options,
                                 absl::string_view name) {
  const auto found = absl::c_find_if(
      options, [&](const ObserverOption& row) { return row.name == name; });
  return found == options.end() ? nullptr : &*found;
}

absl::StatusOr<ObserverUse> ParseUse(const Json& value) {
  if (const auto is_fake = value.getAsBoolean()) {
    return *is_fake ? ObserverUse::kFakeQuantize : ObserverUse::kObserve;
  }
  if (TextOf(value) == kFused) {
    return ObserverUse::kFusedFakeQuantize;
  }
  return MustBe(value, "true, false or \"fused\"");
}

// Error: `spec` is to stand in a FakeQuantize, which does not take it.
absl::Status CheckUse(const ObserverSpec& spec) {
  if (spec.use == ObserverUse::kObserve ||
      spec.config.kind == ObserverKind::kScripted) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const ObserverPtr observer, MakeObserver(spec.config));
  // LibTorch throws for a scale that no float holds.
  return CatchTorchErrors([&] {
    return MakeFakeQuantize(observer,
                            spec.use == ObserverUse::kFusedFakeQuantize)
        .status();
  });
}

}  // namespace

std::string ObserverSpecToJson(const ObserverSpec& spec) {
  const ObserverOptions options = ChangedOptionsOf(spec.config);
  std::vector<std::string> fields;
  const auto add = [&](absl::string_view name, absl::string_view json) {
    fields.push_back(absl::StrCat(QuoteJson(name), ": ", json));
  };
  for (const ObserverOption& option : AllObserverOptions()) {
    const auto value = options.find(std::string(option.name));
    if (value != options.end()) {
      add(option.name, OptionJson(option.type, value->second));
    }
  }
  if (spec.use != ObserverUse::kObserve) {
    add(kFakeQuantize,
        spec.use == ObserverUse::kFakeQuantize ? "true" : QuoteJson(kFused));
  }
  if (spec.config.kind == ObserverKind::kScripted) {
    add(kPath, QuoteJson(spec.path));
  }
  return absl::StrCat("{", absl::StrJoin(fields, ", "), "}");
}

absl::StatusOr<ObserverSpec> ParseObserverSpec(const Json& value) {
  const llvm::json::Object* const object = value.getAsObject();
  if (object == nullptr) {
    return MustBe(value, "an object such as {\"kind\": \"histogram\"}");
  }
  const std::vector<ObserverOption> known = AllObserverOptions();
  ObserverSpec spec;
  ObserverOptions options;
  for (const auto& [name, member] : SortedMembers(*object)) {
    if (const ObserverOption* option = FindOption(known, name)) {
      NS_ASSIGN_OR_RETURN(options[std::string(name)],
                          Annotated(name, OptionText(option->type, *member)));
    } else if (name == kFakeQuantize) {
      NS_ASSIGN_OR_RETURN(spec.use, Annotated(name, ParseUse(*member)));
    } else if (name == kPath) {
      NS_ASSIGN_OR_RETURN(
          spec.path, Annotated(name, OptionText(OptionType::kText, *member)));
    } else {
      std::vector<absl::string_view> names;
      names.reserve(known.size() + 2);
      for (const ObserverOption& row : known) {
        names.push_back(row.name);
      }
      names.insert(names.end(), {kFakeQuantize, kPath});
      return NoField(name, names);
    }
  }
  NS_ASSIGN_OR_RETURN(spec.config, ParseObserverConfig(options));
  const bool is_scripted = spec.config.kind == ObserverKind::kScripted;
  if (is_scripted == spec.path.empty()) {
    return absl::InvalidArgumentError(
        is_scripted ? "observer 'scripted' needs the field 'path', the file of "
                      "its module"
                    : "only observer 'scripted' has a field 'path'");
  }
  NS_RETURN_IF_ERROR(CheckUse(spec));
  return spec;
}

}  // namespace ns

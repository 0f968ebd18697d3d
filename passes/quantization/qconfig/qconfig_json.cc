#include "passes/quantization/qconfig/qconfig_json.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/files/read_text_file.h"
#include "ir/json/json_text.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/observer_json.h"

namespace ns {
namespace {

using Json = llvm::json::Value;

constexpr char kSchema[] = "ns.qconfig/1";
constexpr size_t kMostOfAnError = 1000;
constexpr TextFileKind kKind = {"qconfig mapping", "--emit-qconfig",
                                size_t{16} << 20};

std::string SectionJson(absl::string_view name,
                        const std::vector<std::string>& rows) {
  return absl::StrCat(
      "  ", QuoteJson(name), ": [", rows.empty() ? "" : "\n    ",
      absl::StrJoin(rows, ",\n    "), rows.empty() ? "]" : "\n  ]");
}

std::string SectionJson(absl::string_view name,
                        const QConfigMapping::Settings<std::string>& settings) {
  std::vector<std::string> rows;
  for (const auto& [key, qconfig] : settings) {
    rows.push_back(
        absl::StrCat("[", QuoteJson(key), ", ", QConfigToJson(qconfig), "]"));
  }
  return SectionJson(name, rows);
}

absl::StatusOr<OptionalQConfig> QConfigOf(const Json& value) {
  if (value.getAsNull()) {
    return OptionalQConfig();
  }
  if (const std::optional<std::string> preset = TextOf(value)) {
    return PresetNamed(*preset);
  }
  const llvm::json::Object* const object = value.getAsObject();
  if (object == nullptr) {
    return MustBe(value, "a qconfig: an object, the name of one, or null");
  }
  QConfig qconfig;
  for (const auto& [name, member] : SortedMembers(*object)) {
    ObserverSpec* spec = name == "activation" ? &qconfig.activation
                         : name == "weight"   ? &qconfig.weight
                                              : nullptr;
    if (spec == nullptr) {
      return NoField(name, {"activation", "weight"});
    }
    NS_ASSIGN_OR_RETURN(*spec, Annotated(name, ParseObserverSpec(*member)));
  }
  return qconfig;
}

// The keys of a setting of a mapping, which its qconfig follows in a file.
using RowKeys = llvm::ArrayRef<Json>;
using RowSetter = absl::Status (*)(RowKeys keys, const OptionalQConfig& qconfig,
                                   QConfigMapping& mapping);

// A list of such settings.
struct Section {
  const char* name;
  const char* row;
  size_t keys;
  RowSetter set;
};

absl::Status Twice() {
  return absl::InvalidArgumentError(
      "an earlier row is for the same; keep one of them");
}

// Makes a RowSetter of a method that sets by one name, and of the one that
// returns what was set.
template <QConfigMapping& (QConfigMapping::*kSet)(const std::string&,
                                                  OptionalQConfig),
          const QConfigMapping::Settings<std::string>& (QConfigMapping::*kGet)()
              const>
absl::Status SetByName(RowKeys keys, const OptionalQConfig& qconfig,
                       QConfigMapping& mapping) {
  const std::optional<std::string> name = TextOf(keys[0]);
  if (!name) {
    return MustBe(keys[0], "a string");
  }
  const size_t before = (mapping.*kGet)().size();
  (mapping.*kSet)(*name, qconfig);
  return (mapping.*kGet)().size() > before ? absl::OkStatus() : Twice();
}

absl::Status SetByOrder(RowKeys keys, const OptionalQConfig& qconfig,
                        QConfigMapping& mapping) {
  const std::optional<std::string> name = TextOf(keys[0]);
  const std::optional<std::string> type = TextOf(keys[1]);
  if (!name || !type) {
    return MustBe(keys[name ? 1 : 0], "a string");
  }
  const auto order = keys[2].getAsUINT64();
  if (!order ||
      *order > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
    return MustBe(keys[2], "the number of the op, counted from 0");
  }
  const size_t before = mapping.module_name_object_type_orders().size();
  mapping.SetModuleNameObjectTypeOrder(*name, *type, static_cast<int>(*order),
                                       qconfig);
  return mapping.module_name_object_type_orders().size() > before
             ? absl::OkStatus()
             : Twice();
}

constexpr Section kSections[] = {
    {"object_type", "[TYPE, QCONFIG]", 1,
     SetByName<&QConfigMapping::SetObjectType, &QConfigMapping::object_types>},
    {"module_name_regex", "[REGEX, QCONFIG]", 1,
     SetByName<&QConfigMapping::SetModuleNameRegex,
               &QConfigMapping::module_name_regexes>},
    {"module_name", "[NAME, QCONFIG]", 1,
     SetByName<&QConfigMapping::SetModuleName, &QConfigMapping::module_names>},
    {"module_name_object_type_order", "[NAME, TYPE, ORDER, QCONFIG]", 3,
     SetByOrder},
};

absl::Status ParseRow(const Section& section, const Json& value,
                      QConfigMapping& mapping) {
  const llvm::json::Array* const row = value.getAsArray();
  if (row == nullptr || row->size() != section.keys + 1) {
    return MustBe(value, section.row);
  }
  NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig, QConfigOf(row->back()));
  return section.set(RowKeys(row->data(), section.keys), qconfig, mapping);
}

absl::Status ParseSection(const Section& section, const Json& value,
                          QConfigMapping& mapping) {
  const llvm::json::Array* const rows = value.getAsArray();
  if (rows == nullptr) {
    return Annotated(section.name,
                     MustBe(value, absl::StrCat("a list of ", section.row)));
  }
  for (size_t i = 0; i < rows->size(); ++i) {
    NS_RETURN_IF_ERROR(Annotated(absl::StrCat(section.name, "[", i, "]"),
                                 ParseRow(section, (*rows)[i], mapping)));
  }
  return absl::OkStatus();
}

// The section called `name`; null when there is none.
const Section* FindSection(absl::string_view name) {
  const auto* section = absl::c_find_if(
      kSections, [&](const Section& row) { return row.name == name; });
  return section == std::end(kSections) ? nullptr : section;
}

absl::StatusOr<QConfigMapping> ParseMapping(const Json& root) {
  const llvm::json::Object* const object = root.getAsObject();
  if (object == nullptr) {
    return MustBe(root,
                  absl::StrCat("an object with \"schema\": \"", kSchema, "\""));
  }
  QConfigMapping mapping;
  bool has_schema = false;
  for (const auto& [name, value] : SortedMembers(*object)) {
    if (const Section* section = FindSection(name)) {
      NS_RETURN_IF_ERROR(ParseSection(*section, *value, mapping));
    } else if (name == "global") {
      NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig,
                          Annotated(name, QConfigOf(*value)));
      mapping.SetGlobal(qconfig);
    } else if (name == "schema") {
      if (TextOf(*value) != kSchema) {
        return Annotated(name, MustBe(*value, absl::StrCat("'", kSchema, "'")));
      }
      has_schema = true;
    } else {
      std::vector<absl::string_view> names = {"schema", "global"};
      for (const Section& row : kSections) {
        names.push_back(row.name);
      }
      return NoField(name, names);
    }
  }
  if (!has_schema) {
    return absl::InvalidArgumentError(
        absl::StrCat("has no \"schema\": \"", kSchema, "\""));
  }
  NS_RETURN_IF_ERROR(mapping.Validate());
  return mapping;
}

}  // namespace

std::string QConfigToJson(const OptionalQConfig& qconfig) {
  if (!qconfig) {
    return "null";
  }
  if (const auto preset = PresetNameOf(*qconfig)) {
    return QuoteJson(*preset);
  }
  return absl::StrCat(
      "{\"activation\": ", ObserverSpecToJson(qconfig->activation),
      ", \"weight\": ", ObserverSpecToJson(qconfig->weight), "}");
}

std::string QConfigMappingToJson(const QConfigMapping& mapping) {
  std::vector<std::string> orders;
  for (const auto& [key, qconfig] : mapping.module_name_object_type_orders()) {
    orders.push_back(absl::StrCat("[", QuoteJson(key.module_name), ", ",
                                  QuoteJson(key.object_type), ", ", key.order,
                                  ", ", QConfigToJson(qconfig), "]"));
  }
  return absl::StrCat(
      "{\n  \"schema\": ", QuoteJson(kSchema),
      ",\n  \"global\": ", QConfigToJson(mapping.global()), ",\n",
      SectionJson("object_type", mapping.object_types()), ",\n",
      SectionJson("module_name_regex", mapping.module_name_regexes()), ",\n",
      SectionJson("module_name", mapping.module_names()), ",\n",
      SectionJson("module_name_object_type_order", orders), "\n}\n");
}

absl::StatusOr<OptionalQConfig> ParseQConfig(absl::string_view text) {
  NS_ASSIGN_OR_RETURN(const Json root, ParseJson(text));
  absl::StatusOr<OptionalQConfig> qconfig = QConfigOf(root);
  if (!qconfig.ok()) {
    return absl::InvalidArgumentError(
        OneLine(qconfig.status().message(), kMostOfAnError));
  }
  return qconfig;
}

absl::StatusOr<QConfigMapping> ParseQConfigMapping(absl::string_view text,
                                                   absl::string_view source) {
  NS_ASSIGN_OR_RETURN(const Json root, Annotated(source, ParseJson(text)));
  absl::StatusOr<QConfigMapping> mapping = ParseMapping(root);
  if (!mapping.ok()) {
    // Names and numbers of the text are part of the message.
    return absl::InvalidArgumentError(absl::StrCat(
        source, ": ", OneLine(mapping.status().message(), kMostOfAnError)));
  }
  return mapping;
}

absl::StatusOr<QConfigMapping> ReadQConfigMapping(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kKind));
  return ParseQConfigMapping(text, path);
}

}  // namespace ns

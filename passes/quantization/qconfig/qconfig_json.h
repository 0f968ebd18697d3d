// QConfig mappings as JSON files, which `ns quantize --qconfig` reads.
#ifndef PASSES_QUANTIZATION_QCONFIG_QCONFIG_JSON_H_
#define PASSES_QUANTIZATION_QCONFIG_QCONFIG_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// The JSON text of `mapping`, for people to edit:
//
//   {
//     "schema": "ns.qconfig/1",
//     "global": "fbgemm",
//     "object_type": [["linear", {"activation": {"kind": "mse", ...},
//                                 "weight": {...}}]],
//     "module_name_regex": [],
//     "module_name": [["fc", null]],
//     "module_name_object_type_order": [["head", "linear", 0, "dynamic"]]
//   }
//
// A qconfig that has a name (PresetNames) is written by it. An observer is
// written as its kind and the options that are not the defaults of the kind
// (runtime/observers/observer_options.h), numbers and booleans as such. Further
// fields are "fake_quantize" (true or "fused") for an observer that stands in a
// FakeQuantize (ObserverUse), and the "path" of the kind "scripted".
std::string QConfigMappingToJson(const QConfigMapping& mapping);

// Reads what QConfigMappingToJson writes. Absent sections are empty, and an
// absent "activation" or "weight" of a qconfig is not quantized. `source` is
// what messages call the text. Errors, of one line: text that is no JSON, with
// line and column; another schema, or none; an unknown field or name of a
// qconfig, with the nearest known one; a value of another type; two rows of a
// section with the same key; what ParseObserverSpec (observer_json.h) and
// QConfigMapping::Validate refuse, with the place.
absl::StatusOr<QConfigMapping> ParseQConfigMapping(absl::string_view text,
                                                   absl::string_view source);

// The same for a file. Error: also one that cannot be read.
absl::StatusOr<QConfigMapping> ReadQConfigMapping(const std::string& path);

// The JSON text of one qconfig, in one line: a preset's name in quotes, or an
// object. `null` where it is absent.
std::string QConfigToJson(const OptionalQConfig& qconfig);

// Reads what QConfigToJson writes. Errors as those of ParseQConfigMapping,
// without a place.
absl::StatusOr<OptionalQConfig> ParseQConfig(absl::string_view text);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_QCONFIG_JSON_H_

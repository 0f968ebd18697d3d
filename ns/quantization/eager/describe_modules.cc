#include "ns/quantization/eager/describe_modules.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/module_weights.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/outside_reads.h"
#include "ns/quantization/eager/quantized_types.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/layers/describe_weights.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// "Conv2d" for "torch.nn.modules.conv.Conv2d".
std::string LastPart(const std::string& type) {
  return type.substr(type.rfind('.') + 1);
}

// How the output of `quantized` is quantized, which was made of `prepared`;
// absent where only a run tells.
absl::StatusOr<std::optional<ValueQuantization>> OutputOf(
    const Module& prepared, const Module& quantized) {
  const QuantizedType* type = FindQuantizedType(TypeNameOf(quantized));
  if (type == nullptr || type->qparams == QParamsForm::kNone) {
    return std::nullopt;
  }
  NS_ASSIGN_OR_RETURN(const ObservedOutput observed, AskModule(prepared));
  return observed.is_called ? std::make_optional(Describe(observed.value))
                            : std::nullopt;
}

// The quantized weights of each module, by path.
absl::StatusOr<std::map<std::string, std::vector<at::Tensor>>> WeightsOf(
    const Module& model) {
  NS_ASSIGN_OR_RETURN(const std::vector<ModuleWeight> all,
                      ModuleWeights(model));
  std::map<std::string, std::vector<at::Tensor>> weights;
  for (const ModuleWeight& weight : all) {
    for (const at::Tensor& value : weight.values) {
      if (value.is_quantized()) {
        weights[weight.path].push_back(value);
      }
    }
  }
  return weights;
}

bool HasParameters(const Module& module) {
  return module.named_parameters(/*recurse=*/false).size() > 0;
}

// Whether Convert rounds the weights of modules of `type` with `qconfig` to
// half precision, and leaves the type as it is (quantized_module.h).
bool RoundsWeights(const ModuleMapping& mapping, const std::string& type,
                   const OptionalQConfig& qconfig) {
  const QuantizedType* mapped = FindQuantizedType(MappedType(mapping, type));
  return qconfig && ModeOf(qconfig->weight) == QuantizationMode::kHalf &&
         mapped != nullptr && mapped->source == CodeSource::kDynamicLayer;
}

std::string WhyFloat(bool has_qconfig, const std::string& path,
                     const std::map<std::string, OutsideRead>& reads) {
  if (path.empty()) {
    return "the model itself is not replaced";
  }
  if (!has_qconfig) {
    return "it has no qconfig";
  }
  const auto read = reads.find(path);
  return read == reads.end()
             ? "no quantized module is made of its type"
             : absl::StrCat("the code of '", read->second.reader,
                            "' reads its ", read->second.tensor);
}

}  // namespace

absl::StatusOr<QuantizationReport> DescribeModules(
    const Module& prepared, const Module& quantized, const QConfigSpec& spec,
    const ModuleMapping& mapping) {
  NS_ASSIGN_OR_RETURN(const auto weights, WeightsOf(quantized));
  std::map<std::string, Module> made;
  for (const auto& module : quantized.named_modules()) {
    made.emplace(module.name, module.value);
  }
  const std::map<std::string, std::string> types = TypesByPath(prepared);
  const auto reads = TensorsReadOutside(prepared);
  QuantizationReport report;
  for (const auto& named : prepared.named_modules()) {
    const auto now = made.find(named.name);
    // Parts of a module that was replaced are gone.
    if (now == made.end()) {
      continue;
    }
    const std::string& type = types.at(named.name);
    NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig, QConfigOf(named.value));
    const bool is_root = named.name.empty();
    if (!is_root) {
      report.order.push_back(named.name);
    }
    const bool is_replaced = TypeNameOf(now->second) != type;
    const bool is_rounded = !is_replaced && !is_root &&
                            reads.count(named.name) == 0 &&
                            RoundsWeights(mapping, type, qconfig);
    if (!is_replaced && !(is_rounded && HasParameters(named.value))) {
      if (HasParameters(named.value)) {
        report.stayed_float.push_back(
            {named.name, LastPart(type),
             WhyFloat(qconfig.has_value(), named.name, reads)});
      }
      continue;
    }
    LayerQuantization layer;
    layer.name = named.name;
    layer.op = LastPart(type);
    layer.qconfig = QConfigName(qconfig);
    layer.rule = RuleFor(spec, types, named.name);
    NS_ASSIGN_OR_RETURN(layer.output, OutputOf(named.value, now->second));
    const auto weight = weights.find(named.name);
    if (is_rounded) {
      layer.weight = WeightQuantization{"float16", {}};
    } else if (weight != weights.end() && qconfig) {
      layer.weight =
          DescribeWeights(weight->second, qconfig->weight.config.qscheme);
    }
    if (layer.output || layer.weight) {
      report.layers.push_back(std::move(layer));
    }
  }
  return report;
}

}  // namespace ns

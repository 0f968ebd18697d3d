#include "ns/eager/module_weights.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ns/eager/module_tree.h"
#include "passes/analysis/packed_weights.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

constexpr char kClasses[] = "__torch__.torch.classes.";

// Returns the tensors of `module` alone: parameters, then buffers, as
// state_dict does.
NamedTensors OwnTensors(const Module& module) {
  NamedTensors parameters;
  NamedTensors buffers;
  const c10::ClassTypePtr type = module.type();
  for (size_t i = 0; i < type->numAttributes(); ++i) {
    const c10::IValue value = module._ivalue()->getSlot(i);
    if (!value.isTensor() || !value.toTensor().defined()) {
      continue;
    }
    if (type->is_parameter(i)) {
      parameters.emplace_back(type->getAttributeName(i), value.toTensor());
    } else if (type->is_buffer(i)) {
      buffers.emplace_back(type->getAttributeName(i), value.toTensor());
    }
  }
  parameters.insert(parameters.end(), buffers.begin(), buffers.end());
  return parameters;
}

void CollectState(const Module& module, const std::string& path,
                  NamedTensors& state) {
  for (auto& [name, tensor] : OwnTensors(module)) {
    state.emplace_back(JoinPath(path, name), tensor);
  }
  for (const auto& child : module.named_children()) {
    CollectState(child.value, JoinPath(path, child.name), state);
  }
}

// Returns "lstm" for "lstm._all_weight_values.0" and 2 `levels`.
std::string AncestorOf(absl::string_view path, int levels) {
  for (; levels > 0; --levels) {
    const size_t dot = path.rfind('.');
    path = path.substr(0, dot == absl::string_view::npos ? 0 : dot);
  }
  return std::string(path);
}

// Says how the weights in `value` are held, if it is an object that packs some.
// `value` is the attribute `name` of the module at `path`. The weights
// themselves are not filled in.
std::optional<ModuleWeight> PackedWeight(const std::string& path,
                                         const std::string& name,
                                         const c10::IValue& value) {
  if (!value.isCustomClass()) {
    return std::nullopt;
  }
  const std::string class_name = value.toObject()->name();
  const absl::string_view packed = absl::StripPrefix(class_name, kClasses);
  const std::string key = JoinPath(path, name);
  if (packed == "quantized.Conv2dPackedParamsBase" ||
      packed == "quantized.Conv3dPackedParamsBase") {
    return ModuleWeight{JoinPath(path, "weight"),
                        WeightHolder::kPackedConv,
                        path,
                        "weight",
                        {}};
  }
  if (packed == "quantized.LinearPackedParamsBase") {
    absl::string_view parameter = name;
    if (absl::ConsumePrefix(&parameter, "_packed_weight_")) {
      return ModuleWeight{key,
                          WeightHolder::kPackedCell,
                          path,
                          absl::StrCat("weight_", parameter),
                          {}};
    }
    return ModuleWeight{
        key, WeightHolder::kPackedLinear, AncestorOf(path, 1), "weight", {}};
  }
  if (packed == "quantized.EmbeddingPackedParamsBase") {
    return ModuleWeight{
        key, WeightHolder::kPackedEmbedding, AncestorOf(path, 1), "weight", {}};
  }
  if (packed == "rnn.CellParamsBase") {
    const std::string list = AncestorOf(path, 1);
    return ModuleWeight{key,
                        WeightHolder::kCellParams,
                        AncestorOf(list, 1),
                        path.substr(list.empty() ? 0 : list.size() + 1),
                        {}};
  }
  return std::nullopt;
}

absl::StatusOr<at::Tensor> UnpackedWeight(WeightHolder holder,
                                          const Module& module,
                                          const c10::IValue& value) {
  switch (holder) {
    case WeightHolder::kPackedConv:
      return PackedConvWeight(value, absl::EndsWith(TypeNameOf(module), "1d"));
    case WeightHolder::kPackedEmbedding:
      return PackedEmbeddingWeight(value);
    default:
      return PackedLinearWeight(value);
  }
}

// Unpacks the weights in `value`, an attribute of `module`.
absl::StatusOr<std::vector<at::Tensor>> UnpackedWeights(
    WeightHolder holder, const Module& module, const c10::IValue& value) {
  if (holder == WeightHolder::kCellParams) {
    return PackedCellWeights(value);
  }
  NS_ASSIGN_OR_RETURN(at::Tensor weight, UnpackedWeight(holder, module, value));
  return std::vector<at::Tensor>{std::move(weight)};
}

absl::Status CollectWeights(const Module& module, const std::string& path,
                            std::vector<ModuleWeight>& weights) {
  for (const auto& [name, tensor] : OwnTensors(module)) {
    if (absl::StartsWith(name, "weight")) {
      weights.push_back(
          {JoinPath(path, name), WeightHolder::kTensor, path, name, {tensor}});
    }
  }
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (auto weight = PackedWeight(path, attribute.name, attribute.value)) {
      NS_ASSIGN_OR_RETURN(
          weight->values,
          Annotated(weight->key,
                    UnpackedWeights(weight->holder, module, attribute.value)));
      weights.push_back(*std::move(weight));
    }
  }
  for (const auto& child : module.named_children()) {
    NS_RETURN_IF_ERROR(
        CollectWeights(child.value, JoinPath(path, child.name), weights));
  }
  return absl::OkStatus();
}

}  // namespace

NamedTensors StateTensors(const Module& module) {
  NamedTensors state;
  CollectState(module, "", state);
  return state;
}

absl::StatusOr<std::vector<ModuleWeight>> ModuleWeights(const Module& module) {
  std::vector<ModuleWeight> weights;
  NS_RETURN_IF_ERROR(Annotated("reading the weights of the quantized model",
                               CollectWeights(module, "", weights)));
  return weights;
}

}  // namespace ns

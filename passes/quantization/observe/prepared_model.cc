#include "passes/quantization/observe/prepared_model.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/runtime/observers/fake_quantize.h"

namespace ns {
namespace {

constexpr char kRecord[] = "ns_prepared";
constexpr char kObserverPrefix[] = "ns_observer_";
constexpr char kMeansPrefix[] = "ns_means_";
constexpr int64_t kVersion = 3;

using Options = c10::Dict<std::string, std::string>;
// The fields of PreparedLayer, in order.
using SavedLayer = std::tuple<std::string, std::string, std::string,
                              std::string, std::vector<int64_t>, int64_t,
                              Options, int64_t, int64_t, bool, int64_t>;
// Of a layer that is quantized already: name, op, qconfig, rule; scheme and
// scales of the weight, without scales when it has none.
using SavedQuantized =
    std::tuple<std::string, std::string, std::string, std::string, std::string,
               std::vector<double>>;
// Name, op, reason.
using SavedFloat = std::tuple<std::string, std::string, std::string>;
// Layers, quantized layers, float layers; unused rules, warnings, order.
using SavedRecord =
    std::tuple<std::vector<SavedLayer>, std::vector<SavedQuantized>,
               std::vector<SavedFloat>, std::vector<std::string>,
               std::vector<std::string>, std::vector<std::string>>;
using SavedWithVersion = std::tuple<int64_t, SavedRecord>;

Options DictOf(const ObserverOptions& options) {
  Options dict;
  for (const auto& [name, value] : options) {
    dict.insert(name, value);
  }
  return dict;
}

ObserverOptions MapOf(const Options& dict) {
  ObserverOptions options;
  for (const auto& entry : dict) {
    options[entry.key()] = entry.value();
  }
  return options;
}

SavedRecord Pack(const PreparedModel& prepared) {
  SavedRecord saved;
  auto& [layers, quantized, floats, rules, warnings, order] = saved;
  for (const PreparedLayer& layer : prepared.layers) {
    layers.emplace_back(layer.name, layer.op, layer.qconfig, layer.rule,
                        layer.inputs, layer.output, DictOf(layer.weight),
                        layer.limits.least, layer.limits.most,
                        layer.limits.single_pixels, layer.watcher);
  }
  for (const LayerQuantization& layer : prepared.report.layers) {
    const WeightQuantization weight =
        layer.weight.value_or(WeightQuantization());
    quantized.emplace_back(layer.name, layer.op, layer.qconfig, layer.rule,
                           weight.scheme, weight.scales);
  }
  for (const FloatLayer& layer : prepared.report.stayed_float) {
    floats.emplace_back(layer.name, layer.op, layer.reason);
  }
  rules = prepared.report.unused_rules;
  warnings = prepared.report.warnings;
  order = prepared.report.order;
  return saved;
}

PreparedModel Unpack(const SavedRecord& saved) {
  const auto& [layers, quantized, floats, rules, warnings, order] = saved;
  PreparedModel prepared;
  for (const SavedLayer& layer : layers) {
    const auto& [name, op, qconfig, rule, inputs, output, weight, least_rank,
                 most_rank, single_pixels, watcher] = layer;
    prepared.layers.push_back({name,
                               op,
                               qconfig,
                               rule,
                               inputs,
                               output,
                               MapOf(weight),
                               {least_rank, most_rank, single_pixels},
                               watcher});
  }
  for (const SavedQuantized& layer : quantized) {
    const auto& [name, op, qconfig, rule, scheme, scales] = layer;
    LayerQuantization known;
    known.name = name;
    known.op = op;
    known.qconfig = qconfig;
    known.rule = rule;
    if (!scales.empty()) {
      known.weight = {scheme, scales};
    }
    prepared.report.layers.push_back(std::move(known));
  }
  for (const SavedFloat& layer : floats) {
    const auto& [name, op, reason] = layer;
    prepared.report.stayed_float.push_back({name, op, reason});
  }
  prepared.report.unused_rules = rules;
  prepared.report.warnings = warnings;
  prepared.report.order = order;
  return prepared;
}

}  // namespace

std::string ObserverAttribute(int64_t number) {
  return absl::StrCat(kObserverPrefix, number);
}

void AttachPreparedModel(torch::jit::Module& module,
                         const PreparedModel& prepared) {
  module.register_attribute(
      kRecord, c10::getTypePtr<SavedWithVersion>(),
      c10::IValue(SavedWithVersion(kVersion, Pack(prepared))));
}

bool IsPrepared(const torch::jit::Module& module) {
  return module.hasattr(kRecord);
}

absl::StatusOr<PreparedModel> AttachedPreparedModel(
    const torch::jit::Module& module) {
  if (!IsPrepared(module)) {
    return absl::InvalidArgumentError(
        "the model was not prepared; insert-observers has not run on it");
  }
  return CatchTorchErrors(
      "the record of the prepared model",
      [&]() -> absl::StatusOr<PreparedModel> {
        const c10::IValue record = module.attr(kRecord);
        const auto& elements = record.toTupleRef().elements();
        if (elements.empty() || !elements[0].isInt() ||
            elements[0].toInt() != kVersion) {
          return absl::InvalidArgumentError(
              "the model was prepared by another version of ns; prepare it "
              "again");
        }
        return Unpack(std::get<1>(record.to<SavedWithVersion>()));
      });
}

ObserverPtr AttachedObserver(const torch::jit::Module& module,
                             const std::string& name) {
  if (!absl::StartsWith(name, kObserverPrefix) || !module.hasattr(name)) {
    return {};
  }
  return ObserverIn(module.attr(name));
}

std::map<std::string, ObserverPtr> AttachedObservers(
    const torch::jit::Module& module) {
  std::map<std::string, ObserverPtr> observers;
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (ObserverPtr observer = AttachedObserver(module, attribute.name)) {
      observers[attribute.name] = std::move(observer);
    }
  }
  return observers;
}

std::string MeansAttribute(int64_t index) {
  return absl::StrCat(kMeansPrefix, index);
}

std::map<std::string, InputMeansPtr> AttachedMeans(
    const torch::jit::Module& module) {
  std::map<std::string, InputMeansPtr> means;
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (absl::StartsWith(attribute.name, kMeansPrefix) &&
        attribute.value.type() == c10::getTypePtr<InputMeansPtr>()) {
      means[attribute.name] = attribute.value.toCustomClass<InputMeans>();
    }
  }
  return means;
}

bool IsObserverCall(const torch::jit::Node& node) {
  if (node.kind() != c10::prim::CallMethod) {
    return false;
  }
  const c10::TypePtr& type = node.input(0)->type();
  return type == c10::getTypePtr<ObserverPtr>() ||
         type == c10::getTypePtr<FakeQuantizePtr>() ||
         type == c10::getTypePtr<InputMeansPtr>();
}

void DetachPreparedModel(torch::jit::Module& module) {
  std::vector<std::string> names;
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (attribute.name == kRecord ||
        absl::StartsWith(attribute.name, kObserverPrefix) ||
        absl::StartsWith(attribute.name, kMeansPrefix)) {
      names.push_back(attribute.name);
    }
  }
  for (const std::string& name : names) {
    module._ivalue()->unsafeRemoveAttr(name);
    module.type()->unsafeRemoveAttribute(name);
  }
}

}  // namespace ns

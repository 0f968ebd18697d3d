#include "passes/instrument/logger_info.h"

#include <torch/csrc/jit/api/object.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/module_path.h"
#include "passes/runtime/loggers/output_logger.h"

namespace ns {
namespace {

constexpr char kPrefix[] = "ns_logger_";
constexpr char kOutputPrefix[] = "ns_output_logger_";

std::string InfoName(const std::string& attribute) {
  return absl::StrCat(attribute, "_info");
}

c10::IValue ToAttribute(const LoggerInfo& info) {
  c10::Dict<std::string, std::string> fields;
  fields.insert("layer", info.layer);
  fields.insert("layer_in_model", info.layer_in_model);
  fields.insert("type", info.type);
  fields.insert("model_name", info.model_name);
  fields.insert("ref_node_name", info.ref_node_name);
  fields.insert("ref_node_target_type", info.ref_node_target_type);
  fields.insert("prev_node_name", info.prev_node_name);
  fields.insert("prev_node_target_type", info.prev_node_target_type);
  fields.insert("index_within_arg", absl::StrCat(info.index_within_arg));
  fields.insert("index_of_arg", absl::StrCat(info.index_of_arg));
  fields.insert("fqn", info.fqn);
  fields.insert("output_index", absl::StrCat(info.output_index));
  fields.insert("output_name", info.output_name);
  return fields;
}

LoggerInfo FromAttribute(const c10::IValue& attribute) {
  const c10::Dict<c10::IValue, c10::IValue> fields = attribute.toGenericDict();
  const auto text = [&](const char* key) {
    const auto it = fields.find(key);
    return it == fields.end() ? std::string() : it->value().toStringRef();
  };
  const auto number = [&](const char* key) {
    int value = 0;
    return absl::SimpleAtoi(text(key), &value) ? value : 0;
  };
  LoggerInfo info;
  info.layer = text("layer");
  info.layer_in_model = text("layer_in_model");
  info.type = text("type");
  info.model_name = text("model_name");
  info.ref_node_name = text("ref_node_name");
  info.ref_node_target_type = text("ref_node_target_type");
  info.prev_node_name = text("prev_node_name");
  info.prev_node_target_type = text("prev_node_target_type");
  info.index_within_arg = number("index_within_arg");
  info.index_of_arg = number("index_of_arg");
  info.fqn = text("fqn");
  // Earlier versions logged one output.
  info.output_index = number("output_index");
  info.output_name = text("output_name");
  return info;
}

// One past the last logger of the name `prefix`: they are attached in order, so
// that it is the last attribute but for what others have added since.
int NextIndex(const torch::jit::Module& module, const char* prefix) {
  const c10::ClassTypePtr type = module.type();
  for (size_t i = type->numAttributes(); i > 0; --i) {
    const std::string attribute = type->getAttributeName(i - 1);
    absl::string_view name = attribute;
    int index = 0;
    if (absl::ConsumePrefix(&name, prefix) && absl::SimpleAtoi(name, &index)) {
      return index + 1;
    }
  }
  return 0;
}

std::vector<AttachedLogger> LoggersNamed(const torch::jit::Module& module,
                                         const char* prefix) {
  std::vector<AttachedLogger> loggers;
  for (int index = 0;; ++index) {
    const std::string name = absl::StrCat(prefix, index);
    if (!module.hasattr(name)) {
      return loggers;
    }
    loggers.push_back(
        {module.attr(name), FromAttribute(module.attr(InfoName(name)))});
  }
}

}  // namespace

LoggerFactory OutputLoggerFactory() {
  return [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(c10::make_intrusive<OutputLogger>());
  };
}

absl::Status CheckLogger(const c10::IValue& logger, size_t arity) {
  if (!logger.isObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a logger must be an object, and the factory made a ",
                     logger.tagKind()));
  }
  const c10::ClassTypePtr type = logger.toObject()->type();
  const torch::jit::Function* forward = type->findMethod("forward");
  if (forward == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logger ", LoggerTypeName(*type), " has no method 'forward'"));
  }
  const auto& arguments = forward->getSchema().arguments();
  bool fits = arguments.size() == arity + 1;
  for (size_t i = 1; fits && i < arguments.size(); ++i) {
    fits = c10::TensorType::get()->isSubtypeOf(*arguments[i].type());
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'forward' of logger ", LoggerTypeName(*type), " must take ",
        arity == 1 ? "one Tensor" : "two Tensors, quantized and float",
        "; it is ", c10::toString(forward->getSchema())));
  }
  return absl::OkStatus();
}

absl::StatusOr<c10::IValue> ReadStats(const c10::IValue& logger) {
  torch::jit::Object object(logger.toObject());
  if (object.find_method("get_stats")) {
    return CatchTorchErrors("get_stats",
                            [&] { return object.get_method("get_stats")({}); });
  }
  return object.hasattr("stats") ? object.attr("stats") : c10::IValue();
}

std::string LoggerTypeName(const c10::ClassType& type) {
  return type.name() ? UnmangledTypeName(type.name()->qualifiedName())
                     : type.annotation_str();
}

std::string AttachLogger(torch::jit::Module& module,
                         const AttachedLogger& logger) {
  const char* prefix = logger.info.output_index == 0 ? kPrefix : kOutputPrefix;
  std::string name = absl::StrCat(prefix, NextIndex(module, prefix));
  module.register_attribute(name, logger.object.type(), logger.object);
  module.register_attribute(
      InfoName(name),
      c10::DictType::create(c10::StringType::get(), c10::StringType::get()),
      ToAttribute(logger.info));
  return name;
}

std::vector<AttachedLogger> AttachedLoggers(const torch::jit::Module& module) {
  return LoggersNamed(module, kPrefix);
}

std::vector<AttachedLogger> AllAttachedLoggers(
    const torch::jit::Module& module) {
  std::vector<AttachedLogger> loggers = AttachedLoggers(module);
  for (AttachedLogger& logger : LoggersNamed(module, kOutputPrefix)) {
    loggers.push_back(std::move(logger));
  }
  return loggers;
}

}  // namespace ns

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/batches/batches.h"
#include "ns/batches/fit_value.h"

namespace ns {
namespace {

// Returns "takes 2 arguments" or "takes 1 to 2 arguments".
std::string Takes(size_t least, size_t most) {
  return absl::StrCat("takes ",
                      least == most ? "" : absl::StrCat(least, " to "), most,
                      most == 1 ? " argument" : " arguments");
}

// Whether `value` can be what a training set says about `input`: a class, one
// for each sample, or one for each pixel of images. A mask has the sizes of the
// tokens that it belongs to.
bool IsLabel(const c10::IValue& value, const c10::IValue& input) {
  if (!value.isTensor()) {
    return value.isInt();
  }
  const at::Tensor& label = value.toTensor();
  if (!label.defined() ||
      !at::isIntegralType(label.scalar_type(), /*includeBool=*/false)) {
    return false;
  }
  if (label.dim() <= 1) {
    return true;
  }
  if (!input.isTensor() || !input.toTensor().defined() ||
      input.toTensor().dim() < 4) {
    return false;
  }
  std::vector<int64_t> pixels = input.toTensor().sizes().vec();
  pixels.erase(pixels.begin() + 1);
  return label.sizes() == at::IntArrayRef(pixels);
}

}  // namespace

absl::Status FitBatch(const c10::FunctionSchema& schema, Batch& batch) {
  const auto error = [&](const auto&... parts) {
    return absl::InvalidArgumentError(
        OneLine(absl::StrCat("method '", schema.name(), "' ", parts...)));
  };
  // The declared arguments without the module.
  std::vector<const c10::Argument*> declared;
  std::vector<std::string> names;
  size_t positional = 0;
  size_t needed = 0;
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    declared.push_back(&argument);
    names.push_back(argument.name());
    positional += argument.kwarg_only() ? 0 : 1;
    needed += argument.kwarg_only() || argument.default_value() ? 0 : 1;
  }
  // Data sets for training have pairs of an image and its label.
  const bool has_label = batch.arguments.size() == positional + 1 &&
                         positional > 0 &&
                         IsLabel(batch.arguments.back(), batch.arguments[0]);
  const size_t given = batch.arguments.size() - (has_label ? 1 : 0);
  if (given > positional || (batch.keywords.empty() && given < needed)) {
    return error(Takes(needed, positional), " and the input batch has ", given,
                 "; save ",
                 positional == 1 ? std::string("tensors or tuples of 1")
                                 : absl::StrCat("tuples of ", positional));
  }
  for (const auto& [name, value] : batch.keywords) {
    bool known = false;
    for (const std::string& declared_name : names) {
      known = known || declared_name == name;
    }
    if (!known) {
      return error("has no argument '", name, "', which the input batch has; ",
                   "its arguments are ", absl::StrJoin(names, ", "));
    }
  }
  Batch fitted;
  fitted.source = batch.source;
  for (size_t i = 0; i < declared.size(); ++i) {
    const std::string& name = names[i];
    const auto keyword = batch.keywords.find(name);
    const bool by_name = keyword != batch.keywords.end();
    if (i < given && by_name) {
      return error("gets argument '", name,
                   "' twice from the input batch, by position and by name");
    }
    if (i >= given && !by_name) {
      if (declared[i]->default_value()) {
        continue;
      }
      return error("needs argument '", name, "', which the input batch lacks");
    }
    absl::StatusOr<c10::IValue> value = FitValue(
        by_name ? keyword->second : batch.arguments[i], declared[i]->type());
    if (!value.ok()) {
      return error("cannot take the input batch: argument '", name, "' ",
                   value.status().message());
    }
    if (by_name) {
      fitted.keywords[name] = *std::move(value);
    } else {
      fitted.arguments.push_back(*std::move(value));
    }
  }
  batch = std::move(fitted);
  return absl::OkStatus();
}

}  // namespace ns

#include "ns/batches/output_tensors.h"

#include <ATen/core/Dict.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ns {
namespace {

std::string KeyText(const c10::IValue& key) {
  if (key.isString()) {
    return absl::StrCat("'", key.toStringRef(), "'");
  }
  std::ostringstream text;
  text << key;
  return text.str();
}

// Returns "[1]", or ".logits" for a named tuple.
std::string ElementText(const c10::TupleType* type, size_t index) {
  return type != nullptr && type->schema() != nullptr
             ? absl::StrCat(".", type->schema()->arguments().at(index).name())
             : absl::StrCat("[", index, "]");
}

void Add(const std::string& place, const c10::IValue& value,
         NamedTensors& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      tensors.emplace_back(place, value.toTensor());
    }
  } else if (value.isTuple()) {
    const auto type = value.type()->cast<c10::TupleType>();
    const auto& elements = value.toTupleRef().elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      Add(absl::StrCat(place, ElementText(type.get(), i)), elements[i],
          tensors);
    }
  } else if (value.isList()) {
    const auto elements = value.toListRef();
    for (size_t i = 0; i < elements.size(); ++i) {
      Add(absl::StrCat(place, "[", i, "]"), elements[i], tensors);
    }
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      Add(absl::StrCat(place, "[", KeyText(entry.key()), "]"), entry.value(),
          tensors);
    }
  }
}

}  // namespace

NamedTensors OutputTensors(const c10::IValue& value) {
  NamedTensors tensors;
  Add("output", value, tensors);
  return tensors;
}

NamedTensors FloatOutputs(const c10::IValue& value) {
  NamedTensors floats;
  for (auto& [place, tensor] : OutputTensors(value)) {
    if (tensor.is_floating_point()) {
      floats.emplace_back(place, tensor);
    }
  }
  return floats;
}

std::vector<OutputPair> PairByPlace(const NamedTensors& of_float,
                                    const NamedTensors& of_quantized) {
  std::map<std::string, at::Tensor> left(of_float.begin(), of_float.end());
  std::vector<OutputPair> pairs;
  for (const auto& [place, y] : of_quantized) {
    const auto x = left.extract(place);
    pairs.push_back({place, x ? x.mapped() : at::Tensor(), y});
  }
  for (const auto& [place, x] : of_float) {
    if (left.count(place) != 0) {
      pairs.push_back({place, x, at::Tensor()});
    }
  }
  return pairs;
}

NamedTensors CopiesOf(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [place, tensor] : tensors) {
    copies.emplace_back(place, tensor.clone());
  }
  return copies;
}

}  // namespace ns

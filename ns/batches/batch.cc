#include "ns/batches/batch.h"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/deep_copy.h"

namespace ns {

int64_t SamplesOf(const Batch& batch) {
  int64_t samples = -1;
  const auto see = [&](const c10::IValue& value) {
    if (value.isTensor() && value.toTensor().dim() > 0) {
      samples = std::max(samples, value.toTensor().numel() == 0
                                      ? 0
                                      : value.toTensor().size(0));
    }
  };
  for (const c10::IValue& argument : batch.arguments) {
    if (samples <= 0) {
      see(argument);
    }
  }
  if (samples <= 0) {
    for (const auto& [name, value] : batch.keywords) {
      see(value);
    }
  }
  return samples < 0 ? 1 : samples;
}

namespace {

// Returns `batch` with `change` of each tensor that has an entry for each
// sample.
Batch WithSamples(const Batch& batch,
                  const std::function<at::Tensor(const at::Tensor&)>& change) {
  const int64_t samples = SamplesOf(batch);
  const auto changed = [&](const c10::IValue& argument) {
    return argument.isTensor() && argument.toTensor().dim() > 0 &&
                   argument.toTensor().size(0) == samples
               ? c10::IValue(change(argument.toTensor()))
               : argument;
  };
  Batch result = batch;
  for (c10::IValue& argument : result.arguments) {
    argument = changed(argument);
  }
  for (auto& [name, argument] : result.keywords) {
    argument = changed(argument);
  }
  return result;
}

c10::IValue SelectedElements(const c10::IValue& list,
                             const BatchSamples& selection) {
  const auto elements = list.toListRef();
  c10::impl::GenericList selected(list.toList().elementType());
  if (static_cast<int64_t>(elements.size()) == selection.of) {
    for (const int64_t sample : selection.samples) {
      selected.push_back(elements[static_cast<size_t>(sample)]);
    }
  } else {
    for (const c10::IValue& element : elements) {
      selected.push_back(SelectedEntries(element, selection));
    }
  }
  return selected;
}

}  // namespace

Batch FirstSamples(const Batch& batch, int64_t count) {
  return WithSamples(batch, [&](const at::Tensor& tensor) {
    return tensor.narrow(0, 0, std::min(count, tensor.size(0)));
  });
}

Batch SelectedSamples(const Batch& batch, const std::vector<int64_t>& samples) {
  const at::Tensor indices = at::tensor(samples, at::kLong);
  return WithSamples(batch, [&](const at::Tensor& tensor) {
    return tensor.index_select(0, indices);
  });
}

c10::IValue SelectedEntries(const c10::IValue& value,
                            const BatchSamples& selection) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() && tensor.dim() > 0 &&
                   tensor.size(0) == selection.of
               ? c10::IValue(tensor.index_select(
                     0, at::tensor(selection.samples, at::kLong)))
               : value;
  }
  if (value.isList()) {
    return SelectedElements(value, selection);
  }
  if (value.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      elements.push_back(SelectedEntries(element, selection));
    }
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    c10::impl::GenericDict selected(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) {
      selected.insert(entry.key(), SelectedEntries(entry.value(), selection));
    }
    return selected;
  }
  return value;
}

std::string BatchName(const Batch& batch, int64_t index) {
  return batch.source.empty() ? absl::StrCat("batch ", index) : batch.source;
}

Batch Copied(const Batch& batch) {
  Batch copy = batch;
  DeepCopier copier;
  for (c10::IValue& argument : copy.arguments) {
    argument = copier.Copy(argument);
  }
  for (auto& [name, value] : copy.keywords) {
    value = copier.Copy(value);
  }
  return copy;
}

}  // namespace ns

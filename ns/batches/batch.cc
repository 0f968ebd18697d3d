#include "ns/batches/batch.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

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

Batch FirstSamples(const Batch& batch, int64_t count) {
  const int64_t samples = SamplesOf(batch);
  const auto narrowed = [&](const c10::IValue& argument) {
    return argument.isTensor() && argument.toTensor().dim() > 0 &&
                   argument.toTensor().size(0) == samples
               ? c10::IValue(
                     argument.toTensor().narrow(0, 0, std::min(count, samples)))
               : argument;
  };
  Batch first = batch;
  for (c10::IValue& argument : first.arguments) {
    argument = narrowed(argument);
  }
  for (auto& [name, argument] : first.keywords) {
    argument = narrowed(argument);
  }
  return first;
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

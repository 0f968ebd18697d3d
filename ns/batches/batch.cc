#include "ns/batches/batch.h"

#include "absl/strings/str_cat.h"
#include "ir/base/deep_copy.h"

namespace ns {

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

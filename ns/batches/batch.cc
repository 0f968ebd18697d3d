#include "ns/batches/batch.h"

#include "absl/strings/str_cat.h"

namespace ns {

std::string BatchName(const Batch& batch, int64_t index) {
  return batch.source.empty() ? absl::StrCat("batch ", index) : batch.source;
}

Batch Copied(const Batch& batch) {
  Batch copy = batch;
  for (c10::IValue& argument : copy.arguments) {
    argument = argument.deepcopy();
  }
  for (auto& [name, value] : copy.keywords) {
    value = value.deepcopy();
  }
  return copy;
}

}  // namespace ns

#include "ns/batches/batch.h"

#include "absl/strings/str_cat.h"

namespace ns {

std::string BatchName(const Batch& batch, int64_t index) {
  return batch.source.empty() ? absl::StrCat("batch ", index) : batch.source;
}

}  // namespace ns

#include "ns/batches/batches.h"

#include <string>

#include "ir/base/status.h"
#include "ns/batches/batch_reader.h"

namespace ns {

absl::StatusOr<std::vector<Batch>> LoadBatches(absl::string_view path) {
  NS_ASSIGN_OR_RETURN(const BatchReader reader,
                      BatchReader::Open({std::string(path)}));
  return reader.ReadAll();
}

}  // namespace ns

#include "ns/result/provenance.h"

#include <string>

#include "ir/base/status.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/write_json.h"
#include "ns/result/provenance_map.h"

namespace ns {

std::string ProvenanceJson(const Provenance& provenance) {
  return WriteJson(provenance);
}

absl::StatusOr<Provenance> ParseProvenance(absl::string_view json) {
  NS_ASSIGN_OR_RETURN(const llvm::json::Value value, ParseJson(json));
  Provenance provenance;
  NS_RETURN_IF_ERROR(ReadJson(value, provenance));
  return provenance;
}

}  // namespace ns

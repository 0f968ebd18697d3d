#include "ns/report/json/json_report.h"

#include "ir/json/write_json.h"
#include "ns/report/json/comparison_map.h"

namespace ns {

std::string ToJson(const ComparisonResult& result) { return WriteJson(result); }

}  // namespace ns

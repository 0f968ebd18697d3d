// Writes the result of a comparison as JSON.
#ifndef NS_REPORT_JSON_JSON_REPORT_H_
#define NS_REPORT_JSON_JSON_REPORT_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns one object of the schema "ns.compare/1", whose members
// comparison_map.h describes. Members come in a fixed order and layers in the
// order of `result`, so equal results give equal bytes.
std::string ToJson(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_JSON_JSON_REPORT_H_

// The result of a comparison as JSON.
#ifndef NS_JSON_REPORT_H_
#define NS_JSON_REPORT_H_

#include <string>

#include "ns/comparison_result.h"

namespace ns {

// One object of the schema "ns.compare/1". Keys come in a fixed order and
// layers in the order of `result`, so equal results give equal bytes.
//
// "output", "weight", "activation", "shadow", "trips" and "fqn_inferred" are
// absent where they do not apply; all other keys are always there.
std::string ToJson(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_JSON_REPORT_H_

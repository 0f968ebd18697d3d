// Writes what a comparison found of one layer as JSON.
#ifndef NS_REPORT_JSON_LAYER_H_
#define NS_REPORT_JSON_LAYER_H_

#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Writes the object of `layer`, an entry of "layers" of
// ns/report/json_report.h.
void WriteLayer(JsonWriter& json, const LayerComparison& layer);

}  // namespace ns

#endif  // NS_REPORT_JSON_LAYER_H_

// Writes the distributions of values as JSON.
#ifndef NS_REPORT_JSON_HISTOGRAMS_H_
#define NS_REPORT_JSON_HISTOGRAMS_H_

#include "ns/report/json_writer.h"
#include "ns/suite/value_histograms.h"

namespace ns {

// Writes the member "histograms": an object of "samples", the histograms
// "float", "quantized" and "error", each an object of "lowest", "width" and
// "counts", and "error_by_value": the bins "value" of rows and "error" of
// columns, each of "lowest" and "width", and "counts", row by row.
void WriteHistograms(JsonWriter& json, const ValueHistograms& histograms);

}  // namespace ns

#endif  // NS_REPORT_JSON_HISTOGRAMS_H_

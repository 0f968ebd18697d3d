// Shows what `ns quantize` did as a table for terminals.
#ifndef NS_QUANTIZATION_REPORT_QUANTIZE_TABLE_H_
#define NS_QUANTIZATION_REPORT_QUANTIZE_TABLE_H_

#include <string>

#include "ns/quantization/report/quantize_summary.h"
#include "ns/report/table/table_report.h"

namespace ns {

// A row for each quantized layer: name, op, the number of its rule, the bits of
// its output, how many times as large as in calibration values may be (not on
// terminals that are too narrow), scale and zero point of its input and output,
// and how its weight is quantized, symmetrically unless the row says otherwise.
// Each further input of a layer has a row below. "-" stands for what is not
// quantized, or not in advance.
//
//                     act.  head-   input   zero  output   zero  weight
// layer  op      rule  bits   room   scale  point   scale  point  bits, per
// conv1  conv2d     1     7   1.02  0.0313     64  0.0221      0  8, channel
//
// Below stand the number of layers, the rules by their numbers, each with its
// qconfig, what stayed float and why, rules that chose no layer, the methods
// that were tried to lose less (tried_methods_text.h), the SQNR of the outputs,
// and what training achieved (ns/training/training_text.h). Warnings are not in
// the text. Layers are in order of execution: of `options` only colour and
// width count.
std::string QuantizeTable(const QuantizeSummary& summary,
                          const TableOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_REPORT_QUANTIZE_TABLE_H_

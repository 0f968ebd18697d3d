// Writes what `ns quantize` did as JSON.
#ifndef NS_QUANTIZATION_REPORT_QUANTIZE_JSON_H_
#define NS_QUANTIZATION_REPORT_QUANTIZE_JSON_H_

#include <string>

#include "ns/quantization/report/quantize_summary.h"

namespace ns {

// Returns one object with the schema "ns.quantize/1" (tools/docs/formats.md),
// indented and with a newline at its end:
//
//   {"schema": "ns.quantize/1", "float": "f.pt", "out": "q.pt",
//    "mode": "static", "backend": "fbgemm", "batches": 8,
//    "layers": [{"name": "conv1", "op": "aten::conv2d",
//                "qconfig": "static 0..127 mse, int8 weight per channel",
//                "rule": "global",
//                "inputs": [{"scale": 0.02, "zero_point": 64,
//                            "min": -1.28, "max": 1.26}],
//                "output": {as an input},
//                "weight": {"scheme": "per_channel_symmetric",
//                           "scales": [0.001, 0.002]}}],
//    "stayed_float": [{"name": "log", "op": "aten::log", "reason": "..."}],
//    "tried": [{"layer": "conv1", "method": "bias correction",
//               "sqnr_db_without": 31.0, "sqnr_db_with": 36.2, "kept": true}],
//    "unused_rules": ["module name 'fd': none"],
//    "warnings": [],
//    "output_sqnr_db": [{"name": "output", "sqnr_db": 30.1}]}
//
// "mode" is "static", "dynamic", "weight-only" or "qat"; with "qat" there is a
// member "training", too (TrainingReport). "min" and "max" are the real values
// of the least and the greatest quantized value. "scales" has one number, or
// one for each channel; those of all weights of a recurrent layer, in the order
// of torch.nn; [] for float16. "inputs" is [] for dynamic and weight-only
// layers; "output" and "weight" are absent where the layer has none. An entry
// of "tried" with "kept": false has a "reason", too. Where the quantized model
// was made from prepared models, "float" is "" and "prepared" has their paths.
// "output_sqnr_db" is absent where no batch was run, and [] where the model
// gives no tensors to compare. Numbers that are not finite are the strings
// "inf", "-inf" and "nan".
std::string QuantizeJson(const QuantizeSummary& summary);

}  // namespace ns

#endif  // NS_QUANTIZATION_REPORT_QUANTIZE_JSON_H_

// Writes what `ns quantize` did as JSON.
#ifndef NS_QUANTIZATION_QUANTIZE_JSON_H_
#define NS_QUANTIZATION_QUANTIZE_JSON_H_

#include <string>

#include "ns/quantization/quantize_summary.h"

namespace ns {

// One object with the schema "ns.quantize/1":
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
//    "unused_rules": ["module name 'fd': none"],
//    "warnings": [],
//    "output_sqnr_db": [{"name": "output", "sqnr_db": 30.1}]}
//
// "output" and "weight" are absent where the layer has none. "float" is "" for
// a model that was made of prepared ones, whose paths are then in "prepared".
// "output_sqnr_db" is absent where no batch was run.
std::string QuantizeJson(const QuantizeSummary& summary);

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_JSON_H_

// What passes of this folder say about ops that they leave as they were.
#ifndef PASSES_LOWERING_LOWERING_REPORT_H_
#define PASSES_LOWERING_LOWERING_REPORT_H_

#include <string>

namespace ns {

struct LoweringRemark {
  std::string op;      // "quantized::batch_norm2d"
  std::string name;    // the path of its module: "layer1.0.bn1"
  std::string reason;  // one phrase
};

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERING_REPORT_H_

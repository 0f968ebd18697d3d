// QConfigs that give PyTorch 1.13's ranges to the bit.
#ifndef TESTS_NS_QUANTIZATION_EAGER_COMPATIBLE_H_
#define TESTS_NS_QUANTIZATION_EAGER_COMPATIBLE_H_

#include "passes/quantization/qconfig.h"

namespace ns {

inline QConfig Compatible(QConfig qconfig) {
  qconfig.activation.config.compat = true;
  qconfig.weight.config.compat = true;
  return qconfig;
}

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_COMPATIBLE_H_

// Says for reports what quantizing did to each module of a hierarchy.
#ifndef NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_
#define NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

// Describes `quantized`, which Convert made of `prepared` with the qconfigs of
// `spec`. A layer is a module that was replaced: its name is the path, its op
// the type, "Conv2d". What computes with parameters and was not replaced stayed
// in float.
absl::StatusOr<QuantizationReport> DescribeModules(
    const torch::jit::Module& prepared, const torch::jit::Module& quantized,
    const QConfigSpec& spec);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_

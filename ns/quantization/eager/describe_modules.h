// Says for reports what quantizing did to each module of a hierarchy.
#ifndef NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_
#define NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "ns/quantization/eager/module_mappings.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Describes `quantized`, which Convert made of `prepared`. `spec` is what
// `prepared` was prepared with: it tells the rule of each layer. A layer of the
// report is a module that Convert replaced by one with a quantized output or
// weight, or whose weights it rounded to half precision. Its `name` is the
// path, and its `op` the last part of the type in `prepared`, "Conv2d". Other
// modules that have parameters of their own stayed in float; the model itself,
// with the name "", may be one of them. `mapping` is what Convert was given. It
// tells which layers were rounded, as their types stay. Error: quantized
// weights that cannot be read, or an observer whose values cannot be quantized.
absl::StatusOr<QuantizationReport> DescribeModules(
    const torch::jit::Module& prepared, const torch::jit::Module& quantized,
    const QConfigSpec& spec, const ModuleMapping& mapping);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_DESCRIBE_MODULES_H_

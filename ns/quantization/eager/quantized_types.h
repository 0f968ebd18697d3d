// Describes PyTorch's classes of quantized modules: their attributes, and where
// their code comes from.
#ifndef NS_QUANTIZATION_EAGER_QUANTIZED_TYPES_H_
#define NS_QUANTIZATION_EAGER_QUANTIZED_TYPES_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// Where the code of a quantized module comes from.
enum class CodeSource {
  kQuantizeLayer,  // the float code between dequantize and quantize, folded
  kDynamicLayer,   // the float code, quantized dynamically
  kTable,          // as kDynamicLayer, for embeddings: they take indices
  kScript,         // QuantizedType::script
  kFunctional,     // a script for each method of the float module
};

// How a module holds the scale and zero point of its output.
enum class QParamsForm {
  kNone,
  kNumbers,  // attributes: a float and an int
  kScalars,  // buffers without dimensions
  kVectors,  // buffers of one element
};

// Where an attribute `dtype` says what the weight is quantized to.
enum class WeightDtype {
  kNone,
  kWithPacked,   // in the module that holds the packed weight
  kAlsoOutside,  // there, and in the quantized module itself
};

struct QuantizedType {
  // "torch.ao.nn.quantized.modules.linear.Linear"
  std::string name;
  CodeSource source = CodeSource::kScript;
  QParamsForm qparams = QParamsForm::kNone;
  // Whether it has the parameters and buffers of the float module.
  bool keeps_tensors = false;
  // Whether its parameter `weight` is quantized, as an attribute.
  bool quantizes_weight = false;
  // Attributes that hold packed weights, in the order of their use: a path
  // through modules, "_packed_params._packed_params". "#" stands for the number
  // of the weight: "_all_weight_values.#.param".
  std::vector<std::string> packed;
  // The classes of the modules on these paths, the outermost first.
  std::vector<std::string> packed_classes;
  // Attributes that are copied from the float module where it has them.
  std::vector<std::string> copied;
  // Arguments of the float op that are constant numbers. In the script, they
  // take the place of their names in braces: "{eps}".
  std::vector<std::string> constants;
  // Attributes with the same value in every module of this type.
  std::vector<std::pair<std::string, c10::IValue>> fixed;
  WeightDtype weight_dtype = WeightDtype::kNone;
  // Whether an attribute `dtype` says what its output is quantized to.
  bool has_output_dtype = false;
  // TorchScript source of the method `forward`; empty unless `source` is
  // kScript.
  std::string script;
  // The script for the engine qnnpack; empty where that is the same.
  std::string qnnpack_script;
};

// Returns the description of a type by its whole name, in either spelling
// (IsTypeNamed, ir/graph/module_path.h); null for one that is none of
// PyTorch's. It lives as long as the process.
const QuantizedType* FindQuantizedType(absl::string_view type);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZED_TYPES_H_

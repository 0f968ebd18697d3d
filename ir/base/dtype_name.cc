#include "ir/base/dtype_name.h"

#include "absl/strings/ascii.h"

namespace ns {

std::string PythonDtypeName(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::kByte:
      return "uint8";
    case c10::kChar:
      return "int8";
    case c10::kShort:
      return "int16";
    case c10::kInt:
      return "int32";
    case c10::kLong:
      return "int64";
    case c10::kHalf:
      return "float16";
    case c10::kFloat:
      return "float32";
    case c10::kDouble:
      return "float64";
    case c10::kComplexHalf:
      return "complex32";
    case c10::kComplexFloat:
      return "complex64";
    case c10::kComplexDouble:
      return "complex128";
    default:
      // "QInt8", "Bool", "BFloat16": only the case differs.
      return absl::AsciiStrToLower(c10::toString(dtype));
  }
}

}  // namespace ns

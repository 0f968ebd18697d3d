// Names dtypes as users know them.
#ifndef IR_BASE_DTYPE_NAME_H_
#define IR_BASE_DTYPE_NAME_H_

#include <c10/core/ScalarType.h>

#include <string>

namespace ns {

// Returns what Python calls `dtype`, without "torch.": "float32", "uint8",
// "qint8".
std::string PythonDtypeName(c10::ScalarType dtype);

}  // namespace ns

#endif  // IR_BASE_DTYPE_NAME_H_

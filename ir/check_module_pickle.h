// Checks what a TorchScript file says of its tensors against what it holds,
// before LibTorch believes it.
#ifndef IR_CHECK_MODULE_PICKLE_H_
#define IR_CHECK_MODULE_PICKLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/module_archive.h"

namespace ns {

// Checks the pickle `name`, "data" or "constants", of an archive. These are
// claims that LibTorch does not check itself:
//  * every tensor is inside its storage, and that inside its record;
//  * quantized tensors have a scale and a zero point for each channel;
//  * weights of quantized layers have elements;
//  * convolutions have strides, dilations and groups of at least 1, and no
//    negative padding: LibTorch divides by some of them.
// It is safe on any bytes. Error: a phrase that continues "<path>: ".
absl::Status CheckModulePickle(const ModuleArchive& archive,
                               absl::string_view name);

}  // namespace ns

#endif  // IR_CHECK_MODULE_PICKLE_H_

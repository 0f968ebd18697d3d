// What a TorchScript file says of its tensors, compared with what it holds.
#ifndef IR_CHECK_MODULE_PICKLE_H_
#define IR_CHECK_MODULE_PICKLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/module_archive.h"

namespace ns {

// Checks the pickle `name`, "data" or "constants", of an archive, of which
// LibTorch would believe that
//  * every tensor is inside its storage, and that inside its record;
//  * quantized tensors have a scale and a zero point for each channel;
//  * weights of quantized layers have elements;
//  * convolutions have strides, dilations and groups of at least 1, and no
//    negative padding: it divides by some of them.
// Safe on any bytes. Error: a phrase that goes on after "<path>: ".
absl::Status CheckModulePickle(const ModuleArchive& archive,
                               absl::string_view name);

}  // namespace ns

#endif  // IR_CHECK_MODULE_PICKLE_H_

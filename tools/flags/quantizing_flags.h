// The flags that say how a model is quantized, of all commands that do it.
#ifndef TOOLS_FLAGS_QUANTIZING_FLAGS_H_
#define TOOLS_FLAGS_QUANTIZING_FLAGS_H_

#include "absl/status/status.h"
#include "ns/quantization/model/quantize_options.h"
#include "tools/command_line/command_line.h"

namespace ns {

inline constexpr FlagSpec kFloatFlag = {
    "float", "PATH", "the float model, saved by torch.jit.save"};
inline constexpr FlagSpec kBackendFlag = {
    "backend", "NAME",
    "fbgemm (default), x86, onednn or qnnpack: whose default qconfigs"};
inline constexpr FlagSpec kKeepFlag = {
    "keep", "LIST",
    "what stays float, with commas: names of layers or globs (layer1.*), ops "
    "(aten::linear), families (linear) or types of modules (Linear)"};
inline constexpr FlagSpec kMethodFlag = {
    "method", "NAME", "the method to quantize; default forward"};
inline constexpr FlagSpec kLeafFlag = {
    "leaf", "TYPES",
    "module types and script functions that stay calls, in float, with "
    "commas"};

// The value of --observer that asks for QuantizeMethods::choose_observers.
inline constexpr char kAutoObserver[] = "auto";

// Reads --backend, --observer, --target and --keep, of which a command may lack
// some. Error: an unknown name, or a target that the backend has no kernels
// for.
absl::Status ParseQuantizing(const Flags& flags, QuantizeOptions& options);

}  // namespace ns

#endif  // TOOLS_FLAGS_QUANTIZING_FLAGS_H_

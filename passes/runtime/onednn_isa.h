// Which instructions the oneDNN inside LibTorch may use.
#ifndef PASSES_RUNTIME_ONEDNN_ISA_H_
#define PASSES_RUNTIME_ONEDNN_ISA_H_

namespace ns {

// Keeps LibTorch 1's oneDNN to AVX512-VNNI, unless the environment variable
// ONEDNN_MAX_CPU_ISA says what it may use: with AMX, its 1x1 convolutions of
// codes write a third more than the output has, over what lies behind it, when
// an image has 27, 33, 36, 39, 42, 45 or 48 pixels (LibTorch 1.13.1). Results
// are the same. To be called before the first op of LibTorch runs.
void AvoidFaultyOneDnnKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_ONEDNN_ISA_H_

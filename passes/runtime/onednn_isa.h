// Limits which instructions the oneDNN inside LibTorch may use.
#ifndef PASSES_RUNTIME_ONEDNN_ISA_H_
#define PASSES_RUNTIME_ONEDNN_ISA_H_

namespace ns {

// Keeps the oneDNN of LibTorch 1 from using more than AVX512-VNNI, unless the
// environment variable ONEDNN_MAX_CPU_ISA says what it may use. With AMX, its
// quantized 1x1 convolutions write beyond their output, by a third of its size,
// when an image has 27, 33, 36, 39, 42, 45 or 48 pixels (LibTorch 1.13.1).
// Results do not change. Call this before the first op of LibTorch runs.
void AvoidFaultyOneDnnKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_ONEDNN_ISA_H_

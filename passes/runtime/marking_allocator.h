// Finds ops that write behind the memory of their tensors.
#ifndef PASSES_RUNTIME_MARKING_ALLOCATOR_H_
#define PASSES_RUNTIME_MARKING_ALLOCATOR_H_

#include <cstdint>

namespace ns {

// From now on, LibTorch's memory for tensors on the CPU has 16 KiB of marks
// behind it, which are looked at when it is freed. There is no way back: for
// tests, and for processes that only look for such ops. Calls after the first
// do nothing.
void MarkTensorMemory();

// Returns how many blocks of memory that were freed since MarkTensorMemory had
// lost some of their marks.
int64_t OverwrittenMarks();

}  // namespace ns

#endif  // PASSES_RUNTIME_MARKING_ALLOCATOR_H_

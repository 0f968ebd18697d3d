// Allocates memory for the tensors of batches.
#ifndef NS_BATCHES_BATCH_MEMORY_H_
#define NS_BATCHES_BATCH_MEMORY_H_

#include <c10/core/Allocator.h>

#include <cstddef>

namespace ns {

// Returns `bytes` bytes on the CPU, not initialised, and aligned as LibTorch's
// own allocations are; a null pointer for 0 bytes. Blocks of 1 MiB and more go
// back to the system when they are freed: malloc would keep the memory of some
// ten batches that are read one after another, because small blocks that live
// longer lie between them.
//
// Throws std::bad_alloc for a block of 1 MiB or more, else c10::Error.
at::DataPtr AllocateBatchMemory(size_t bytes);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_MEMORY_H_

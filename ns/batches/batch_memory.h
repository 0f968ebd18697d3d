// Allocates memory for the tensors of batches.
#ifndef NS_BATCHES_BATCH_MEMORY_H_
#define NS_BATCHES_BATCH_MEMORY_H_

#include <c10/core/Allocator.h>

#include <cstddef>

namespace ns {

// Allocates `bytes` bytes on the CPU, aligned as LibTorch's own allocations
// are. Blocks of 1 MiB and more go back to the system when they are freed:
// malloc would keep the memory of some ten batches that were read one after
// another, as small values come to lie between them.
//
// The memory is not initialised; of 0 bytes there is a null pointer. Throws
// std::bad_alloc, or c10::Error for a small block.
at::DataPtr AllocateBatchMemory(size_t bytes);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_MEMORY_H_

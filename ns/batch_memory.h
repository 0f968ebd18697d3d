// Memory for the tensors of batches.
#ifndef NS_BATCH_MEMORY_H_
#define NS_BATCH_MEMORY_H_

#include <c10/core/Allocator.h>

#include <cstddef>

namespace ns {

// At least `bytes` bytes on the CPU, aligned as LibTorch's own. What is large
// goes back to the system when it is freed: malloc would keep holes of several
// batches that were read one after another, as their sizes differ a little from
// what was freed before, or small values came to lie in between.
//
// Throws std::bad_alloc.
at::DataPtr AllocateBatchMemory(size_t bytes);

}  // namespace ns

#endif  // NS_BATCH_MEMORY_H_

// Keeps the memory of tensors that are gone for those that come.
#ifndef TOOLS_COMMAND_LINE_KEEP_MEMORY_H_
#define TOOLS_COMMAND_LINE_KEEP_MEMORY_H_

namespace ns {

// From now on, malloc keeps what is freed. Otherwise it maps large tensors one
// by one, and the system clears each page anew: a third of the time of a small
// network's batch. The process holds on to the most memory that it ever used,
// until ReturnFreedMemory.
void KeepFreedMemory();

// Returns free memory to the system where the process holds much: at least half
// a gigabyte in use, as with the weights of a large model, and more than half
// as much free. To be called now and then; it does nothing otherwise, which
// takes some microseconds.
void ReturnFreedMemory();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_KEEP_MEMORY_H_

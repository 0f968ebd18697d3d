// Sets the number of threads within one op.
#ifndef TOOLS_COMMAND_LINE_THREADS_H_
#define TOOLS_COMMAND_LINE_THREADS_H_

namespace ns {

// Makes LibTorch, and the OpenBLAS that it calls, use `count` threads.
void SetThreads(int count);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_THREADS_H_

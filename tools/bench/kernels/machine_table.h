// What the machine itself can do.
#ifndef TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_
#define TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_

#include <string>

namespace ns::bench {

// Measures, with LibTorch's number of threads, the arithmetic of each
// instruction set up to ChosenIsa(), and reads and copies of several sizes. A
// table: GOPS, and GB/s (of copies: read and written). Takes about `seconds`
// for each line.
std::string MachineTable(double seconds);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_

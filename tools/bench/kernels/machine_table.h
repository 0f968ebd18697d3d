// What the machine itself can do.
#ifndef TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_
#define TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_

#include <string>

namespace ns::bench {

// Returns a table of what the machine can do at best, with as many threads as
// LibTorch uses: for each instruction set up to ChosenIsa(), arithmetic, in
// GOPS (1e9 operations a second); and for blocks of memory of several sizes,
// reads and copies, in GB/s. A copy counts the bytes that it reads and those
// that it writes. Measuring takes about `seconds` for each line.
std::string MachineTable(double seconds);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MACHINE_TABLE_H_

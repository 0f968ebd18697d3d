// Times that can be compared: contenders run in blocks, in turn, in one
// process.
//
// A machine that others use, too, and whose clock drifts, slows all of them
// alike, and has given each its fastest block after many rounds; within a
// block, a contender's weights stay in the cache it has brought them to. In
// turn call by call, big weights would evict each other.
#ifndef TOOLS_BENCH_KERNELS_BLOCKS_H_
#define TOOLS_BENCH_KERNELS_BLOCKS_H_

#include <functional>
#include <string>
#include <vector>

namespace ns::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
};

struct BlockOptions {
  // For each contender, all rounds together.
  double seconds = 0.1;
  // Short blocks find the moments when nothing else runs on the processor. A
  // contender of which two calls fill a block has fewer, 2 at least, spread
  // over the rounds.
  int rounds = 40;
  // Runs before each call, untimed: what empties the caches. When it is there,
  // calls are timed one by one, and a round is the median of three, behind
  // enough untimed ones for the contender's memory to be where it stays.
  std::function<void()> before_call;
};

// Seconds of a call in each round.
struct Timing {
  std::vector<double> rounds;

  // Of the fastest round.
  double Seconds() const;
};

// Of each contender, in their order. Each round of a contender starts with a
// call, or more, that is not timed.
std::vector<Timing> RunInBlocks(const std::vector<Contender>& contenders,
                                const BlockOptions& options);

// How many times as fast `ours` is as `peer`.
double SpeedRatio(const Timing& ours, const Timing& peer);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_BLOCKS_H_

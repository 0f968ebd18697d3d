// Keeps threads that wait for one another from taking the processor from other
// processes, and so from themselves.
#ifndef TOOLS_COMMAND_LINE_BUSY_WATCH_H_
#define TOOLS_COMMAND_LINE_BUSY_WATCH_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace ns {

// Looks ten times a second at how long the threads of this process wait for a
// processor, as long as the object lives. Where that is much, other processes
// want the processors, too: GNU's OpenMP is then made to let a thread sleep
// that waits at the end of a parallel op, instead of spinning for some
// milliseconds. Spinning is faster on a quiet machine; on a busy one, the
// thread that is waited for cannot run, as the others spin in its place.
//
// It does nothing where the kernel does not tell how long threads wait
// (/proc/self/task/*/schedstat), or LibTorch uses another OpenMP.
//
// How: OpenMP spins only shortly once it has more threads than processors. So a
// team with a thread too many is made, which sleeps. Results stay the same to
// the bit: the number of threads that an op is split among does not change.
// Reference: do_spin in libgomp/config/linux/wait.h of GCC.
class BusyWatch {
 public:
  BusyWatch();
  ~BusyWatch();
  BusyWatch(const BusyWatch&) = delete;
  BusyWatch& operator=(const BusyWatch&) = delete;

 private:
  class SleepingTeam;

  void Watch();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::unique_ptr<SleepingTeam> team_;
  std::thread thread_;
};

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_BUSY_WATCH_H_

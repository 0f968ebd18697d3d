#include "tools/command_line/busy_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <system_error>

extern "C" void GOMP_parallel(void (*function)(void*), void* data,
                              unsigned threads, unsigned flags)
    __attribute__((weak));
extern "C" int omp_get_num_procs() __attribute__((weak));

namespace ns {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval(100);
// The machine is busy once threads waited for such a part of the time, all of
// them together, and quiet after so many intervals of less than the other.
constexpr double kBusyPart = 0.1;
constexpr double kQuietPart = 0.02;
constexpr int kQuietIntervals = 20;

// Returns how long the threads of this process, all together, could have run
// and had no processor, in nanoseconds; nothing where the kernel does not tell.
std::optional<int64_t> WaitedNanoseconds() {
  std::optional<int64_t> waited;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream file(task->path() / "schedstat");
    int64_t ran = 0;
    int64_t waited_here = 0;
    if (file >> ran >> waited_here) {
      waited = waited.value_or(0) + waited_here;
    }
  }
  return waited;
}

}  // namespace

// A thread with a team of OpenMP's that has a thread more than there are
// processors. OpenMP forgets it when the thread ends.
class BusyWatch::SleepingTeam {
 public:
  SleepingTeam()
      : thread_([this] {
          GOMP_parallel([](void*) {}, nullptr,
                        static_cast<unsigned>(omp_get_num_procs()) + 1, 0);
          end_.get_future().wait();
        }) {}

  ~SleepingTeam() {
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> end_;
  std::thread thread_;
};

BusyWatch::BusyWatch() {
  if (GOMP_parallel != nullptr && omp_get_num_procs != nullptr &&
      WaitedNanoseconds()) {
    thread_ = std::thread([this] { Watch(); });
  }
}

BusyWatch::~BusyWatch() {
  if (thread_.joinable()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ended_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
}

void BusyWatch::Watch() {
  int64_t waited_before = WaitedNanoseconds().value_or(0);
  Clock::time_point looked = Clock::now();
  int quiet_intervals = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, kInterval, [this] { return is_ended_; })) {
    const Clock::time_point now = Clock::now();
    const int64_t waited = WaitedNanoseconds().value_or(0);
    // A thread that ended takes its time with it.
    const double part =
        static_cast<double>(std::max<int64_t>(0, waited - waited_before)) /
        std::chrono::duration<double, std::nano>(now - looked).count();
    waited_before = waited;
    looked = now;
    quiet_intervals = part < kQuietPart ? quiet_intervals + 1 : 0;
    if (part > kBusyPart && team_ == nullptr) {
      team_ = std::make_unique<SleepingTeam>();
    } else if (quiet_intervals >= kQuietIntervals) {
      team_ = nullptr;
    }
  }
  team_ = nullptr;
}

}  // namespace ns

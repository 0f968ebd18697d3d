#include "tools/command_line/busy_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

size_t CountThreads() {
  using std::filesystem::directory_iterator;
  return static_cast<size_t>(
      std::distance(directory_iterator("/proc/self/task"), {}));
}

// Processes that compute as long as the object lives.
class BusyProcesses {
 public:
  explicit BusyProcesses(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        while (getppid() != 1) {
        }
        _exit(0);
      }
      children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> children_;
};

// Waits for as long as a minute until `is_right` of the number of threads,
// while this thread computes.
template <typename IsRight>
bool ThreadsBecome(IsRight is_right) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::minutes(1)) {
    if (is_right(CountThreads())) {
      return true;
    }
  }
  return false;
}

TEST(BusyWatchTest, MakesATeamThatSleepsWhereProcessorsAreWanted) {
  if (!std::filesystem::exists("/proc/self/schedstat")) {
    GTEST_SKIP() << "the kernel does not tell how long threads wait";
  }
  const size_t processors = std::thread::hardware_concurrency();
  // To fork ends threads of OpenBLAS's.
  const BusyProcesses others(2 * processors);
  const size_t before = CountThreads();
  {
    const BusyWatch watch;
    // The watch, and a team of a thread more than there are processors.
    EXPECT_TRUE(ThreadsBecome(
        [&](size_t count) { return count >= before + processors + 2; }));
  }
  // OpenMP's threads are detached: nothing waits until they have ended.
  EXPECT_TRUE(ThreadsBecome([&](size_t count) { return count == before; }));
}

}  // namespace
}  // namespace ns

#include "passes/runtime/fbgemm_ops/torch_parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

// libgomp's, which LibTorch links.
extern "C" void omp_set_max_active_levels(int levels) __attribute__((weak));

namespace ns {
namespace {

TEST(TorchParallelTest, DoesEachTaskOnce) {
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    for (const int64_t grain : {0, 1, 5, 100}) {
      for (int64_t count = 0; count < 20; ++count) {
        std::vector<std::atomic<int>> done(count);
        TorchParallel(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            ++done[i];
          }
        });
        for (const std::atomic<int>& times : done) {
          EXPECT_EQ(times, 1);
        }
      }
    }
  }
}

// As with OMP_MAX_ACTIVE_LEVELS=0: the team has one thread.
TEST(TorchParallelTest, SmallerTeamsDoAllTasks) {
  if (omp_set_max_active_levels == nullptr) {
    GTEST_SKIP() << "LibTorch has no OpenMP";
  }
  at::set_num_threads(2);
  omp_set_max_active_levels(0);
  std::vector<std::atomic<int>> done(100);
  TorchParallel(100, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ++done[i];
    }
  });
  omp_set_max_active_levels(1);
  for (const std::atomic<int>& times : done) {
    EXPECT_EQ(times, 1);
  }
}

std::set<std::thread::id> ThreadsOf(int64_t count, int64_t grain) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  TorchParallel(count, grain, [&](int64_t, int64_t) {
    const std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  return threads;
}

TEST(TorchParallelTest, UsesAsManyThreadsAsLibTorch) {
  at::set_num_threads(2);
  EXPECT_EQ(ThreadsOf(100, 1).size(), 2);
  at::set_num_threads(1);
  EXPECT_EQ(ThreadsOf(100, 1).size(), 1);
}

TEST(TorchParallelTest, KeepsToOneThreadBelowTheGrain) {
  at::set_num_threads(2);
  EXPECT_EQ(ThreadsOf(100, 100),
            std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(TorchParallelTest, KeepsToItsThreadWithinATask) {
  at::set_num_threads(2);
  std::atomic<int> inner{0};
  TorchParallel(2, 1, [&](int64_t, int64_t) {
    EXPECT_EQ(ThreadsOf(100, 1),
              std::set<std::thread::id>{std::this_thread::get_id()});
    ++inner;
  });
  EXPECT_EQ(inner, 2);
}

}  // namespace
}  // namespace ns

// Batches are not all in memory when they are read one by one. In a program of
// its own: the peak of a process never falls.
#include <ATen/ATen.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "ns/batches/write_torch_save.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

constexpr int64_t kBatches = 64;
constexpr int64_t kBatchElements = 1 << 20;
constexpr int64_t kBatchBytes = kBatchElements * 4;

// The most memory, in bytes, that this process ever had.
int64_t PeakBytes() {
  rusage usage = {};
  EXPECT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss * 1024;
}

// Writes what `make` returns, in a process of its own.
void WriteElsewhere(const std::string& path,
                    const std::function<std::vector<at::Tensor>()>& make) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const at::Tensor& tensor : make()) {
      list.push_back(tensor);
    }
    _exit(WriteTorchSave(path, list).ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

// Batch i is full of i.
void ReadAndCheck(const BatchReader& reader, int64_t index) {
  const Batch batch = OrThrow(reader.Read(index));
  const at::Tensor tensor = batch.arguments.at(0).toTensor();
  ASSERT_EQ(tensor.numel(), kBatchElements);
  ASSERT_EQ(tensor.sum().item<float>(),
            static_cast<float>(index * kBatchElements));
}

void ExpectLittleMemory(const std::string& path) {
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  ASSERT_EQ(reader.size(), kBatches);
  // With what is made once, such as threads.
  ReadAndCheck(reader, 0);
  const int64_t before = PeakBytes();
  for (int64_t i = 0; i < kBatches; ++i) {
    ReadAndCheck(reader, i);
  }
  EXPECT_LT(PeakBytes() - before, kBatchBytes / 4);
}

TEST(BatchReaderMemoryTest, HoldsOneBatchAtATime) {
  const std::string separate = TemporaryPath("separate.pt");
  const std::string shared = TemporaryPath("shared.pt");
  WriteElsewhere(separate, [] {
    std::vector<at::Tensor> tensors;
    for (int64_t i = 0; i < kBatches; ++i) {
      tensors.push_back(at::full({kBatchElements}, i, at::kFloat));
    }
    return tensors;
  });
  WriteElsewhere(shared, [] {
    return at::arange(kBatches)
        .to(at::kFloat)
        .unsqueeze(1)
        .repeat({1, kBatchElements})
        .unbind();
  });
  ExpectLittleMemory(separate);
  ExpectLittleMemory(shared);

  // The measure tells when they are held.
  const int64_t before = PeakBytes();
  EXPECT_EQ(OrThrow(LoadBatches(shared)).size(), kBatches);
  EXPECT_GT(PeakBytes() - before, kBatches / 2 * kBatchBytes);
  std::remove(separate.c_str());
  std::remove(shared.c_str());
}

}  // namespace
}  // namespace ns

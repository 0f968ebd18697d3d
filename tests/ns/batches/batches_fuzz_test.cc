// Damaged files must give an error or a value, and never a crash: run it with
// --config=asan too.
#include <ATen/ATen.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "tests/testing/mutate_archive.h"

// A damaged size may ask for more memory than there is: that must reach
// LibTorch as a failed allocation, as it does without the sanitizer.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace ns {
namespace {

std::string ReadFile(absl::string_view name) {
  std::ifstream file(absl::StrCat("tests/ns/batches/batch_files/", name, ".pt"),
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Touches every element, which finds windows beyond their storage.
void Use(const c10::IValue& value) {
  value.visit([](const c10::IValue& part) {
    if (part.isTensor() && part.toTensor().numel() < 1000000) {
      const at::Tensor& tensor = part.toTensor();
      // Damaged zero points and axes may be refused here; not our concern.
      try {
        (void)(tensor.is_quantized() ? tensor.int_repr() : tensor).clone();
      } catch (const std::exception&) {
      }
    }
    return false;
  });
}

void Use(const Batch& batch) {
  for (const c10::IValue& argument : batch.arguments) {
    Use(argument);
  }
  for (const auto& [name, argument] : batch.keywords) {
    Use(argument);
  }
}

// True when the file could be read, one by one and at once.
bool LoadBytes(absl::string_view bytes) {
  const std::string path = absl::StrCat(testing::TempDir(), "/fuzz.pt");
  {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), bytes.size());
  }
  const auto reader = BatchReader::Open({path});
  if (!reader.ok()) {
    EXPECT_EQ(reader.status().message().find('\n'), std::string::npos)
        << reader.status();
    return false;
  }
  bool good = true;
  for (int64_t i = 0; i < reader->size(); ++i) {
    const auto batch = reader->Read(i);
    good = good && batch.ok();
    if (batch.ok()) {
      Use(*batch);
    }
  }
  const auto batches = LoadBatches(path);
  EXPECT_EQ(batches.ok(), good) << batches.status();
  if (batches.ok()) {
    for (const Batch& batch : *batches) {
      Use(batch);
    }
  }
  return good;
}

void Truncate(const std::string& good) {
  ASSERT_TRUE(LoadBytes(good));
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    LoadBytes(absl::string_view(good).substr(0, random() % good.size()));
  }
}

void FlipBytes(const std::string& good) {
  ASSERT_TRUE(LoadBytes(good));
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    std::string bad = good;
    for (int flips = 1 + random() % 4; flips > 0; --flips) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    LoadBytes(bad);
  }
}

// Returns how many of the damaged files could be read.
int FlipBytesOfTheDirectory(const std::string& good) {
  EXPECT_TRUE(LoadBytes(good));
  const size_t start = good.find("PK\x01\x02");
  std::mt19937 random(4);
  int read = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string bad = good;
    for (int flips = 1 + random() % 2; flips > 0; --flips) {
      bad[start + random() % (good.size() - start)] =
          static_cast<char>(random());
    }
    read += LoadBytes(bad);
  }
  return read;
}

class BatchesFuzzTest : public testing::TestWithParam<const char*> {};

TEST_P(BatchesFuzzTest, SurvivesTruncation) {
  const std::string good = ReadFile(GetParam());
  Truncate(good);
  EXPECT_TRUE(LoadBytes(good));
}

TEST_P(BatchesFuzzTest, SurvivesFlippedBytes) {
  const std::string good = ReadFile(GetParam());
  FlipBytes(good);
  EXPECT_TRUE(LoadBytes(good));
}

// Most bytes of a small file are padding; the pickle is where damage matters.
TEST_P(BatchesFuzzTest, SurvivesFlippedBytesOfThePickle) {
  const std::string good = ReadFile(GetParam());
  RecordPlace pickle;
  for (const RecordPlace& record : FindRecordPlaces(good)) {
    if (record.name == "data.pkl") {
      pickle = record;
    }
  }
  ASSERT_GT(pickle.size, 0U);
  std::mt19937 random(3);
  int read = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bad = good;
    for (int flips = 1 + random() % 2; flips > 0; --flips) {
      bad[pickle.offset + random() % pickle.size] = static_cast<char>(random());
    }
    // The bytes get the checksum that goes with them.
    SetRecordSize(bad, pickle, pickle.size);
    read += LoadBytes(bad);
  }
  // Otherwise the damage stops at a check before the code that matters.
  EXPECT_GT(read, 0);
}

// Where the records are, which two readers look up.
TEST_P(BatchesFuzzTest, SurvivesFlippedBytesOfTheDirectory) {
  EXPECT_GT(FlipBytesOfTheDirectory(ReadFile(GetParam())), 0);
}

TEST(CompressedBatchesFuzzTest, SurvivesFlippedBytesOfTheDirectory) {
  EXPECT_GT(FlipBytesOfTheDirectory(ReadFile("compressed")), 0);
}

TEST(NumpyFuzzTest, SurvivesTruncationAndFlippedBytes) {
  for (const char* name : {"npy", "npz", "npz_named"}) {
    const std::string good = ReadFile(name);
    Truncate(good);
    FlipBytes(good);
    EXPECT_TRUE(LoadBytes(good));
  }
}

TEST(NumpyFuzzTest, SurvivesFlippedBytesOfTheDirectory) {
  for (const char* name : {"npz", "npz_named"}) {
    EXPECT_GT(FlipBytesOfTheDirectory(ReadFile(name)), 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BatchesFuzzTest,
                         testing::Values("nested_lists", "ordered_dict",
                                         "dtypes", "views", "per_tensor",
                                         "per_channel", "attribute", "split",
                                         "channels_split", "empty_views"));

}  // namespace
}  // namespace ns

#include "passes/kernels/embedding/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/in_pieces.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

// Memory of exactly `size` elements: the address sanitizer sees what is read or
// written outside.
template <typename T>
class Buffer {
 public:
  explicit Buffer(int64_t size) : data_(new T[size]), size_(size) {
    std::fill_n(data_.get(), size, T{77});
  }
  T* data() { return data_.get(); }
  int64_t size() const { return size_; }
  T& operator[](int64_t i) { return data_[i]; }

 private:
  std::unique_ptr<T[]> data_;
  int64_t size_;
};

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

void ExpectSameBits(Buffer<float>& actual, Buffer<float>& expected,
                    const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size());
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(actual[i])) << where << " at " << i;
    } else {
      ASSERT_EQ(BitsOf(actual[i]), BitsOf(expected[i]))
          << where << " at " << i << ": " << actual[i] << ", not "
          << expected[i];
    }
  }
}

class EmbeddingTest : public ::testing::TestWithParam<Isa> {
 protected:
  int64_t Draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // A table of random rows; some scales and biases are not finite.
  EmbeddingTable Table(int bits, int64_t rows, int64_t columns) {
    const int64_t row_bytes = EmbeddingRowBytes(bits, columns);
    bytes_ = std::make_unique<Buffer<uint8_t>>(rows * row_bytes);
    for (int64_t i = 0; i < bytes_->size(); ++i) {
      (*bytes_)[i] = static_cast<uint8_t>(Draw(0, 255));
    }
    for (int64_t row = 0; row < rows && bits == 8; ++row) {
      const float some[] = {0.013f, -0.7f, 1e-40f, 1e38f,
                            std::numeric_limits<float>::infinity()};
      const float read[] = {some[Draw(0, Draw(1, 4))], some[Draw(0, 2)]};
      std::memcpy(bytes_->data() + row * row_bytes + columns, read, 8);
    }
    return {bytes_->data(), rows, columns, bits};
  }

  template <typename Index>
  void ExpectBagsAreTheReferences(int bits) {
    const int64_t shapes = RandomShapes();
    for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
      const int64_t columns = Draw(0, 1) == 0 ? Draw(0, 40) : Draw(0, 600);
      const EmbeddingTable table = Table(bits, Draw(1, 30), columns);
      const int64_t count = Draw(0, 60);
      Buffer<Index> indices(count);
      Buffer<float> weights(count);
      for (int64_t i = 0; i < count; ++i) {
        indices[i] = static_cast<Index>(Draw(0, table.rows - 1));
        weights[i] = 0.01f * static_cast<float>(Draw(-200, 200));
      }
      Buffer<Index> offsets(Draw(0, 9));
      for (int64_t i = 0; i < offsets.size(); ++i) {
        offsets[i] = static_cast<Index>(Draw(0, count));
      }
      std::sort(offsets.data(), offsets.data() + offsets.size());
      EmbeddingBags<Index> bags;
      bags.indices = indices.data();
      bags.index_count = count;
      bags.offsets = offsets.data();
      bags.offset_count = offsets.size();
      bags.include_last_offset = Draw(0, 1) == 0;
      bags.weights = Draw(0, 1) == 0 ? weights.data() : nullptr;
      Buffer<float> expected(BagCount(bags) * columns);
      ASSERT_FALSE(EmbeddingBagReference(table, bags, expected.data()));
      Buffer<float> actual(expected.size());
      ASSERT_FALSE(EmbeddingBag(table, bags, actual.data(), InPieces));
      ExpectSameBits(actual, expected,
                     "columns " + std::to_string(columns) + ", bags " +
                         std::to_string(BagCount(bags)));
    }
  }

  std::mt19937 random_{11};
  std::unique_ptr<Buffer<uint8_t>> bytes_;
  ScopedIsa isa_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Isas, EmbeddingTest,
                         ::testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

TEST_P(EmbeddingTest, BagsOfBytesAreTheReferences) {
  ExpectBagsAreTheReferences<int64_t>(8);
  ExpectBagsAreTheReferences<int32_t>(8);
}

TEST_P(EmbeddingTest, BagsOfNibblesAreTheReferences) {
  ExpectBagsAreTheReferences<int64_t>(4);
  ExpectBagsAreTheReferences<int32_t>(4);
}

TEST_P(EmbeddingTest, LookupsOfAllWidthsAreBagsOfOne) {
  for (const int bits : {4, 8}) {
    for (int64_t columns = 0; columns <= 300; ++columns) {
      const EmbeddingTable table = Table(bits, 5, columns);
      const int64_t indices[] = {4, 0, 2, 2};
      const int64_t offsets[] = {0, 1, 2, 3};
      EmbeddingBags<int64_t> bags;
      bags.indices = indices;
      bags.index_count = 4;
      bags.offsets = offsets;
      bags.offset_count = 4;
      Buffer<float> expected(4 * columns);
      ASSERT_FALSE(EmbeddingBagReference(table, bags, expected.data()));
      Buffer<float> actual(4 * columns);
      ASSERT_FALSE(Embedding(table, indices, 4, actual.data(), InPieces));
      ExpectSameBits(actual, expected, "columns " + std::to_string(columns));
    }
  }
}

TEST_P(EmbeddingTest, NibblesAreReadFromTheLowerHalf) {
  // Codes 1, 2, 15; scale 2, bias 0.5; the last upper half is no code.
  const uint8_t row[] = {0x21, 0xff, 0x00, 0x40, 0x00, 0x38};
  const int32_t index = 0;
  float out[3];
  ASSERT_FALSE(Embedding({row, 1, 3, 4}, &index, 1, out, Serial));
  EXPECT_EQ(out[0], 2.5f);
  EXPECT_EQ(out[1], 4.5f);
  EXPECT_EQ(out[2], 30.5f);
}

TEST_P(EmbeddingTest, HalvesOfAllKindsAreRead) {
  struct Case {
    uint16_t half;
    float value;
  };
  const Case cases[] = {{0x0000, 0.0f},
                        {0x0001, 0x1p-24f},
                        {0x03ff, 0x1.ff8p-15f},
                        {0x0400, 0x1p-14f},
                        {0x3c00, 1.0f},
                        {0xbc01, -0x1.004p0f},
                        {0x7bff, 65504.0f},
                        {0x7c00, std::numeric_limits<float>::infinity()},
                        {0xfc00, -std::numeric_limits<float>::infinity()}};
  for (const Case& each : cases) {
    // A code of 1, with the half as its scale and a bias of 0.
    uint8_t row[5] = {1, 0, 0, 0, 0};
    std::memcpy(row + 1, &each.half, 2);
    const int64_t index = 0;
    float out = -1;
    ASSERT_FALSE(Embedding({row, 1, 1, 4}, &index, 1, &out, Serial));
    EXPECT_EQ(out, each.value) << each.half;
  }
  const uint8_t nan[5] = {1, 0x00, 0x7e, 0, 0};
  const int64_t index = 0;
  float out = 0;
  ASSERT_FALSE(Embedding({nan, 1, 1, 4}, &index, 1, &out, Serial));
  EXPECT_TRUE(std::isnan(out));
}

TEST_P(EmbeddingTest, BiasIsAddedBeforeTheProduct) {
  // 1 + 2^-24 rounds to 1; then -1 leaves nothing. The product first would
  // leave 2^-24.
  const float read[] = {-1.0f, 0x1p-24f};
  uint8_t rows[2][9] = {{1}, {1}};
  const float one[] = {1.0f, 0.0f};
  std::memcpy(rows[0] + 1, one, 8);
  std::memcpy(rows[1] + 1, read, 8);
  const int64_t indices[] = {0, 1};
  const int64_t offset = 0;
  EmbeddingBags<int64_t> bags;
  bags.indices = indices;
  bags.index_count = 2;
  bags.offsets = &offset;
  bags.offset_count = 1;
  float out = -1;
  ASSERT_FALSE(EmbeddingBag({rows[0], 2, 1, 8}, bags, &out, Serial));
  EXPECT_EQ(out, 0.0f);
}

TEST_P(EmbeddingTest, EmptyBagsAreZero) {
  const EmbeddingTable table = Table(8, 2, 5);
  const int64_t index = 1;
  const int64_t offsets[] = {0, 0, 1, 1};
  EmbeddingBags<int64_t> bags;
  bags.indices = &index;
  bags.index_count = 1;
  bags.offsets = offsets;
  bags.offset_count = 4;
  Buffer<float> out(4 * 5);
  ASSERT_FALSE(EmbeddingBag(table, bags, out.data(), Serial));
  for (const int64_t bag : {0, 2, 3}) {
    for (int64_t column = 0; column < 5; ++column) {
      EXPECT_EQ(out[bag * 5 + column], 0.0f);
    }
  }
}

TEST_P(EmbeddingTest, NoBagsAreNoOutput) {
  const EmbeddingTable table = Table(8, 2, 5);
  EmbeddingBags<int64_t> bags;
  EXPECT_FALSE(EmbeddingBag(table, bags, nullptr, Serial));
  bags.include_last_offset = true;
  EXPECT_FALSE(EmbeddingBag(table, bags, nullptr, Serial));
  EXPECT_FALSE(Embedding<int64_t>(table, nullptr, 0, nullptr, Serial));
}

TEST_P(EmbeddingTest, FirstIndexOutsideTheTableIsReported) {
  for (const int bits : {4, 8}) {
    for (const int64_t columns : {0, 3, 400}) {
      const EmbeddingTable table = Table(bits, 10, columns);
      for (const int64_t wrong :
           {int64_t{-1}, int64_t{10}, std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()}) {
        Buffer<int64_t> indices(40);
        std::fill_n(indices.data(), 40, 9);
        indices[7] = indices[8] = indices[39] = wrong;
        Buffer<float> out(40 * columns);
        const auto error =
            Embedding(table, indices.data(), 40, out.data(), InPieces);
        ASSERT_TRUE(error.has_value());
        EXPECT_EQ(error->kind, EmbeddingError::Kind::kIndex);
        EXPECT_EQ(error->position, 7);
        const int64_t offsets[] = {2, 9, 20};
        EmbeddingBags<int64_t> bags;
        bags.indices = indices.data();
        bags.index_count = 40;
        bags.offsets = offsets;
        bags.offset_count = 3;
        const auto in_bag = EmbeddingBag(table, bags, out.data(), InPieces);
        ASSERT_TRUE(in_bag.has_value());
        EXPECT_EQ(in_bag->kind, EmbeddingError::Kind::kIndex);
        EXPECT_EQ(in_bag->position, 7);
      }
    }
  }
}

TEST_P(EmbeddingTest, IndicesOutsideAllBagsAreNotLookedAt) {
  const EmbeddingTable table = Table(8, 2, 5);
  const int32_t indices[] = {-1, 1, 2};
  const int32_t offsets[] = {1, 2};
  EmbeddingBags<int32_t> bags;
  bags.indices = indices;
  bags.index_count = 3;
  bags.offsets = offsets;
  bags.offset_count = 2;
  bags.include_last_offset = true;
  Buffer<float> out(5);
  EXPECT_FALSE(EmbeddingBag(table, bags, out.data(), Serial));
}

TEST_P(EmbeddingTest, OffsetsThatDescendOrLeaveTheIndicesAreReported) {
  const EmbeddingTable table = Table(8, 2, 5);
  const int64_t indices[] = {0, 1, 9};
  Buffer<float> out(3 * 5);
  const std::vector<std::vector<int64_t>> all = {
      {0, 2, 1}, {0, 1, 4}, {0, 1, -1}};
  for (const std::vector<int64_t>& offsets : all) {
    EmbeddingBags<int64_t> bags;
    bags.indices = indices;
    bags.index_count = 3;
    bags.offsets = offsets.data();
    bags.offset_count = 3;
    const auto error = EmbeddingBag(table, bags, out.data(), Serial);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind, EmbeddingError::Kind::kOffset);
    EXPECT_EQ(error->position, 2);
  }
}

}  // namespace
}  // namespace ns::kernels

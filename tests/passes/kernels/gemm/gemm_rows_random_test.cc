// GEMMs of random shapes and numbers, in each instruction set, against the
// reference.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/gemm/gemm.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

using Random = std::mt19937_64;

int64_t Between(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

bool OneIn(Random& random, int64_t count) {
  return Between(random, 1, count) == 1;
}

template <typename T>
T OneOf(Random& random, const std::vector<T>& values) {
  return values[Between(random, 0, static_cast<int64_t>(values.size()) - 1)];
}

// Bytes that end where a page begins that may not be touched, so that reading
// or writing behind them is fatal, by whatever instruction. They begin at any
// multiple of `unit`.
class Bytes {
 public:
  Bytes(Random& random, int64_t count, int64_t unit = 1) : count_(count) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    // In front of the bytes, some whose change is seen.
    const int64_t before = unit * Between(random, 1, 70);
    const int64_t pages = (before + count + page - 1) / page;
    mapped_ = (pages + 1) * page;
    void* const memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::abort();
    }
    memory_ = static_cast<uint8_t*>(memory);
    if (mprotect(memory_ + pages * page, page, PROT_NONE) != 0) {
      std::abort();
    }
    data_ = memory_ + pages * page - count;
    whole_ = data_ - before;
    const int64_t kind = Between(random, 0, 9);
    for (int64_t i = 0; i < before + count; ++i) {
      const uint8_t byte = static_cast<uint8_t>(Between(random, 0, 255));
      // Sometimes the ends of the range only, or one of them.
      whole_[i] = kind == 0   ? 255
                  : kind == 1 ? 128
                  : kind == 2 ? (byte % 2 == 0 ? 0 : 255)
                  : kind == 3 ? (byte % 2 == 0 ? 128 : 127)
                              : byte;
    }
  }
  ~Bytes() { munmap(memory_, mapped_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  uint8_t* data() const { return data_; }
  // With those in front.
  uint8_t* whole() const { return whole_; }
  int64_t whole_size() const { return data_ + count_ - whole_; }

 private:
  int64_t count_;
  int64_t mapped_;
  uint8_t* memory_;
  uint8_t* data_;
  uint8_t* whole_;
};

float RandomScale(Random& random, float usual) {
  if (OneIn(random, 30)) {
    return OneOf<float>(random, {0.0f, -usual, 1e30f, 1e-30f, 1e-42f,
                                 std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN()});
  }
  return usual *
         std::exp2(static_cast<float>(Between(random, -300, 300)) / 100.0f);
}

int64_t RandomCount(Random& random, int64_t usual_most) {
  if (OneIn(random, 20)) {
    return OneOf<int64_t>(random, {0, 1, 2, 3, 4, 15, 16, 17, 63, 64, 65});
  }
  return Between(random, 1, OneIn(random, 5) ? usual_most : usual_most / 8 + 1);
}

// The numbers of an OutputSpec.
struct RandomSpec {
  RandomSpec(Random& random, int64_t n, int64_t k) {
    spec.type = OneOf<OutputType>(
        random, {OutputType::kU8, OutputType::kU8, OutputType::kS8,
                 OutputType::kF32, OutputType::kS32});
    spec.activation_scale = RandomScale(random, 0.02f);
    spec.activation_zero_point =
        OneIn(random, 3) ? OneOf<int32_t>(random, {0, 255})
                         : static_cast<int32_t>(Between(random, 0, 255));
    const bool per_channel = n != 1 && OneIn(random, 2);
    for (int64_t i = 0; i < (per_channel ? n : 1); ++i) {
      scales.push_back(RandomScale(random, 0.01f));
    }
    if (const int64_t kind = Between(random, 0, 3); kind > 0) {
      for (int64_t i = 0; i < (kind == 1 ? 1 : n); ++i) {
        zero_points.push_back(
            OneIn(random, 4)
                ? OneOf<int32_t>(random, {-128, 0, 127})
                : static_cast<int32_t>(Between(random, -128, 127)));
      }
    }
    const int64_t kind = Between(random, 0, 2);
    for (int64_t i = 0; i < n; ++i) {
      if (kind == 1) {
        bias.push_back(RandomScale(random, 1.0f) *
                       (OneIn(random, 2) ? 1.0f : -1.0f));
      } else if (kind == 2) {
        quantized_bias.push_back(static_cast<int32_t>(
            OneIn(random, 20) ? Between(random, INT32_MIN, INT32_MAX)
                              : Between(random, -30000, 30000)));
      }
    }
    spec.weight_scales = scales;
    spec.weight_zero_points = zero_points;
    spec.bias = bias;
    spec.quantized_bias = quantized_bias;
    // Most sums then fall into the range of codes.
    spec.output_scale = RandomScale(
        random, 0.0002f * 74 * 74 * std::sqrt(static_cast<float>(k) + 1) / 80);
    const int32_t lowest = spec.type == OutputType::kS8 ? -128 : 0;
    spec.output_zero_point = static_cast<int32_t>(
        OneIn(random, 3) ? OneOf<int64_t>(random, {lowest, lowest + 255})
                         : Between(random, lowest, lowest + 255));
    if (OneIn(random, 2)) {
      spec.min = static_cast<float>(Between(random, lowest, lowest + 255));
    }
    if (OneIn(random, 3)) {
      spec.max = static_cast<float>(Between(random, lowest, lowest + 255));
    }
  }

  OutputSpec spec;
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  std::vector<float> bias;
  std::vector<int32_t> quantized_bias;
};

struct RandomProblem {
  RandomProblem(Random& random, SaturationMode mode) : mode(mode) {
    const int64_t n = RandomCount(random, 200);
    int64_t runs = OneIn(random, 3) ? Between(random, 1, 5) : 1;
    int64_t run_length = RandomCount(random, runs == 1 ? 300 : 80);
    if (GemmSaturates(mode) && run_length % 2 != 0) {
      runs = 1;
    }
    rows_count = RandomCount(random, 40);
    const Bytes dense(random, n * runs * run_length);
    weights = PackedMatrix(reinterpret_cast<const int8_t*>(dense.data()), n,
                           runs, run_length);
    plan = PlanOutput(RandomSpec(random, n, runs * run_length).spec,
                      weights.column_sums(), runs * run_length);
    MakeRows(random, runs, run_length);
    n_begin = OneIn(random, 2)
                  ? 0
                  : Between(random, 0, weights.panels()) * PackedMatrix::kPanel;
    n_begin =
        std::min(n_begin, n / PackedMatrix::kPanel * PackedMatrix::kPanel);
    n_end = OneIn(random, 2) ? n : Between(random, n_begin, n);
    row_stride = n + (OneIn(random, 2) ? 0 : Between(random, 0, 40));
    out = std::make_unique<Bytes>(random, OutputBytes(), OutputSize(plan.type));
  }

  void MakeRows(Random& random, int64_t runs, int64_t run_length) {
    // Runs anywhere, in any order, even one upon the other.
    int64_t end = run_length;
    for (int64_t run = 0; run < runs; ++run) {
      run_offsets.push_back(run == 0 ? 0 : Between(random, 0, 200));
      end = std::max(end, run_offsets.back() + run_length);
    }
    // Rows at one distance, which may be 0 or less than their length, or
    // anywhere.
    const bool anywhere = OneIn(random, 3);
    const int64_t distance =
        OneIn(random, 2) ? runs * run_length : Between(random, 0, 400);
    std::vector<int64_t> offsets;
    int64_t last = 0;
    for (int64_t i = 0; i < rows_count; ++i) {
      offsets.push_back(anywhere ? Between(random, 0, 2000) : i * distance);
      last = std::max(last, offsets.back());
    }
    in = std::make_unique<Bytes>(random, last + end);
    for (int64_t i = 0; i < rows_count; ++i) {
      rows.push_back(in->data() + offsets[i]);
    }
  }

  // Up to the last output.
  int64_t OutputBytes() const {
    const int64_t count =
        rows_count == 0 ? 0 : (rows_count - 1) * row_stride + n_end;
    return count * OutputSize(plan.type);
  }

  GemmRowsInput Input() const {
    // Half of them are fetched ahead.
    return {rows.data(), rows_count, run_offsets.data(), rows_count % 2 == 1};
  }

  std::string Describe() const {
    std::ostringstream text;
    text << rows_count << " rows, outputs " << n_begin << " to " << n_end
         << " of " << weights.n() << ", " << weights.runs() << " runs of "
         << weights.run_length() << ", output type "
         << static_cast<int>(plan.type) << ", weight zero points "
         << !plan.weight_zero_points.empty() << ", "
         << SaturationModeName(mode);
    return text.str();
  }

  SaturationMode mode;
  int64_t rows_count;
  PackedMatrix weights;
  OutputPlan plan;
  std::unique_ptr<Bytes> in;
  std::vector<const uint8_t*> rows;
  std::vector<int64_t> run_offsets;
  int64_t n_begin;
  int64_t n_end;
  int64_t row_stride;
  std::unique_ptr<Bytes> out;  // what is there before
};

// The first byte at which outputs differ, or -1. A nan is as good as another.
int64_t FirstDifference(OutputType type, const std::vector<uint8_t>& x,
                        const std::vector<uint8_t>& y) {
  const int64_t size = OutputSize(type);
  for (size_t i = 0; i + size <= x.size(); i += size) {
    if (std::memcmp(&x[i], &y[i], size) == 0) {
      continue;
    }
    float real_x;
    float real_y;
    if (type == OutputType::kF32) {
      std::memcpy(&real_x, &x[i], sizeof(real_x));
      std::memcpy(&real_y, &y[i], sizeof(real_y));
      if (std::isnan(real_x) && std::isnan(real_y)) {
        continue;
      }
    }
    return static_cast<int64_t>(i);
  }
  return -1;
}

TEST(GemmRowsRandomTest, GivesTheBitsOfTheReference) {
  const int64_t shapes = RandomShapes();
  const std::vector<Isa> isas = SupportedIsas();
  for (int64_t seed = 0; seed < shapes; ++seed) {
    Random random(seed);
    const RandomProblem problem(
        random, OneOf<SaturationMode>(random, {SaturationMode::kExact,
                                               SaturationMode::kFbgemmVnni,
                                               SaturationMode::kFbgemmAvx2}));
    const auto run = [&](const auto& function) {
      // In one place, of one alignment.
      Bytes& out = *problem.out;
      const std::vector<uint8_t> before(out.whole(),
                                        out.whole() + out.whole_size());
      function(problem.Input(), problem.weights, problem.plan, problem.n_begin,
               problem.n_end, problem.mode, out.data(), problem.row_stride);
      std::vector<uint8_t> after(out.whole(), out.whole() + out.whole_size());
      std::memcpy(out.whole(), before.data(), before.size());
      return after;
    };
    const std::vector<uint8_t> expected = run(GemmRowsReference);
    for (const Isa isa : isas) {
      const ScopedIsa scoped(isa);
      const std::vector<uint8_t> actual = run(GemmRows);
      ASSERT_EQ(FirstDifference(problem.plan.type, expected, actual), -1)
          << IsaName(isa) << ", seed " << seed << ": " << problem.Describe();
    }
  }
}

}  // namespace
}  // namespace ns::kernels

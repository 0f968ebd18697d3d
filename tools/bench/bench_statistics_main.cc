// How fast the statistics of tensor pairs are.
//
//   bazel run -c opt //tools:bench_statistics
//   bazel run -c opt //tools:bench_statistics -- --help
//
// What is compared runs in turn within one process, and the fastest of many
// repetitions counts: a machine that others use, too, slows all of it alike.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {
namespace {

constexpr char kHelp[] =
    R"(Prints how fast one thread compares a float tensor with another tensor.

One table for each pair of dtypes and each number of elements: float32 with
quint8, with float32, and with qint8 per channel (of 64, the first of two
dimensions), of 64 Ki, 256 Ki, 1 Mi and 16 Mi elements. Columns:

  GB/s      bytes of both tensors by the time of one comparison; memcpy: bytes
            copied
  read      ratio to the fastest read of the same bytes, the most that one core
            can do
  memcpy    ratio to memcpy of the same bytes
  passes    how many times as fast as the reference's passes for the same
            figures

Rows, those of ours for each instruction set that this processor has:

  read                 loads of both tensors, and nothing else; with software
                       prefetch
  memcpy               of as many bytes
  SQNR                 CompareErrors
  all                  CompareTensors: sums and extremes
  all, codes           and which codes are used
  all, codes, channels and sums for each of 64 channels, first in memory
  all, histograms      sums and extremes, codes where there are, and histograms
                       of a sample; the last line tells what these cost
  all, channels last   sums and extremes, and sums for each of 64 channels, last
                       in memory
  SQNR, layouts differ CompareErrors of images, of one of which the channels are
                       last in memory
  reference SQNR       LibTorch: y.dequantize(), then
                       20 log10(norm(x) / norm(x - y))
  reference all        and norm(x - y) / norm(x) and cosine_similarity

Each figure is of the fastest of many repetitions, all rows in turn.
)";

// Keeps results from being optimised away.
volatile double sink;

// Reads memory and does nothing else. `kAhead` is how many bytes ahead it is
// asked for; 0 leaves that to the processor.
template <int kAhead>
__attribute__((target("avx512f"))) void Read512(const char* data,
                                                int64_t bytes) {
  constexpr int kLines = 4;
  __m512i seen[kLines] = {};
  for (int64_t i = 0; i < bytes; i += 64 * kLines) {
    for (int line = 0; line < kLines; ++line) {
      const char* at = data + i + 64 * line;
      if (kAhead > 0) {
        _mm_prefetch(at + kAhead, _MM_HINT_T0);
      }
      seen[line] = _mm512_or_si512(seen[line], _mm512_loadu_si512(at));
    }
  }
  sink = _mm512_reduce_or_epi64(_mm512_or_si512(
      _mm512_or_si512(seen[0], seen[1]), _mm512_or_si512(seen[2], seen[3])));
}

template <int kAhead>
__attribute__((target("avx2"))) void Read256(const char* data, int64_t bytes) {
  constexpr int kHalves = 8;
  __m256i seen[kHalves] = {};
  for (int64_t i = 0; i < bytes; i += 32 * kHalves) {
    for (int half = 0; half < kHalves; ++half) {
      const char* at = data + i + 32 * half;
      if (kAhead > 0 && half % 2 == 0) {
        _mm_prefetch(at + kAhead, _MM_HINT_T0);
      }
      seen[half] = _mm256_or_si256(
          seen[half], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }
  }
  for (int half = 1; half < kHalves; ++half) {
    seen[0] = _mm256_or_si256(seen[0], seen[half]);
  }
  sink = static_cast<double>(_mm256_extract_epi64(seen[0], 0));
}

// The time of what was not measured.
constexpr double kNever = 1e9;

struct Row {
  std::string name;
  std::string isa;
  std::function<void()> run;
  double seconds = kNever;
};

// Runs all rows in turn, for about two seconds or ten times. Each runs twice
// and is timed once: its data are where they are when it runs again and again.
void Measure(std::vector<Row>& rows) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (int repetition = 0;
       repetition < 10 || Clock::now() - start < std::chrono::seconds(2);
       ++repetition) {
    for (Row& row : rows) {
      row.run();
      const Clock::time_point before = Clock::now();
      row.run();
      const std::chrono::duration<double> time = Clock::now() - before;
      row.seconds = std::min(row.seconds, time.count());
    }
  }
}

double SecondsOf(const std::vector<Row>& rows, const std::string& name) {
  double seconds = kNever;
  for (const Row& row : rows) {
    if (row.name == name) {
      seconds = std::min(seconds, row.seconds);
    }
  }
  return seconds;
}

int64_t BytesOf(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(tensor.element_size());
}

void AddReads(const at::Tensor& x, const at::Tensor& y,
              std::vector<Row>& rows) {
  using Read = void (*)(const char*, int64_t);
  const auto add = [&](const char* name, const char* isa, Read read) {
    rows.push_back({name, isa, [=] {
                      for (const at::Tensor& tensor : {x, y}) {
                        read(static_cast<const char*>(tensor.data_ptr()),
                             BytesOf(tensor));
                      }
                    }});
  };
  constexpr int kAhead = 16384;
  if (__builtin_cpu_supports("avx2")) {
    add("read", "avx2", Read256<0>);
    add("read, prefetch", "avx2", Read256<kAhead>);
  }
  if (__builtin_cpu_supports("avx512f")) {
    add("read", "avx512", Read512<0>);
    add("read, prefetch", "avx512", Read512<kAhead>);
  }
  const int64_t bytes = BytesOf(x) + BytesOf(y);
  const at::Tensor from = at::ones({bytes}, at::kByte);
  const at::Tensor to = at::ones({bytes}, at::kByte);
  rows.push_back({"memcpy", "",
                  [=] { std::memcpy(to.data_ptr(), from.data_ptr(), bytes); }});
}

void AddOurs(const at::Tensor& x, const at::Tensor& y, std::vector<Row>& rows) {
  for (const PairKernels* kernels : AvailablePairKernels()) {
    const auto add = [&](const char* name, const std::function<void()>& run) {
      rows.push_back({name, kernels->isa, [=] {
                        const ScopedPairKernels scoped(*kernels);
                        run();
                      }});
    };
    const auto add_all = [&](const char* name, const at::Tensor& a,
                             const at::Tensor& b,
                             const TensorStatisticsOptions& options) {
      add(name, [=] { sink = CompareTensors(a, b, options).sums.sum_xy; });
    };
    add("SQNR", [=] { sink = CompareErrors(x, y).SqnrDb(); });
    add_all("all", x, y, {false, -1});
    if (y.is_quantized()) {
      add_all("all, codes", x, y, {true, -1});
      add_all("all, codes, channels", x, y, {true, 0});
    } else {
      add_all("all, channels", x, y, {false, 0});
    }
    const auto histograms = std::make_shared<PairHistograms>();
    add("all, histograms", [=] {
      TensorStatisticsOptions options;
      options.histograms = histograms.get();
      sink = CompareTensors(x, y, options).sums.sum_xy;
    });
    if (!y.is_quantized() || y.qscheme() == at::kPerTensorAffine) {
      const std::vector<int64_t> sizes = {x.size(1), x.size(0)};
      add_all("all, channels last", x.view(sizes), y.view(sizes), {false, 1});
      const at::Tensor image = x.view({1, x.size(0), -1, 32});
      const at::Tensor other =
          y.view(image.sizes()).contiguous(at::MemoryFormat::ChannelsLast);
      add("SQNR, layouts differ",
          [=] { sink = CompareErrors(image, other).SqnrDb(); });
    }
  }
}

void AddReference(const at::Tensor& x, const at::Tensor& y,
                  std::vector<Row>& rows) {
  const auto sqnr = [=](const at::Tensor& values) {
    sink = (20 * at::log10(at::norm(x) / at::norm(x - values))).item<double>();
  };
  const auto values = [=] { return y.is_quantized() ? y.dequantize() : y; };
  rows.push_back({"reference SQNR", "", [=] { sqnr(values()); }});
  rows.push_back(
      {"reference all", "", [=] {
         const at::Tensor b = values();
         sqnr(b);
         sink = (at::norm(x - b) / at::norm(x)).item<double>();
         sink =
             at::cosine_similarity(x.flatten(), b.flatten(), 0).item<double>();
       }});
}

void PrintTable(const std::vector<Row>& rows, int64_t bytes) {
  const double read =
      std::min(SecondsOf(rows, "read"), SecondsOf(rows, "read, prefetch"));
  const double copy = SecondsOf(rows, "memcpy");
  std::printf("%-22s %-8s %8s %8s %8s %8s\n", "", "", "GB/s", "read", "memcpy",
              "passes");
  for (const Row& row : rows) {
    std::printf("%-22s %-8s %8.1f %8.2f %8.2f", row.name.c_str(),
                row.isa.c_str(),
                static_cast<double>(bytes) / row.seconds * 1e-9,
                read / row.seconds, copy / row.seconds);
    if (!row.isa.empty() && row.name.compare(0, 4, "read") != 0) {
      const char* reference = row.name.compare(0, 4, "SQNR") == 0
                                  ? "reference SQNR"
                                  : "reference all";
      std::printf(" %8.1f", SecondsOf(rows, reference) / row.seconds);
    }
    std::printf("\n");
  }
  const double with_codes = SecondsOf(rows, "all, codes");
  const double without =
      with_codes < kNever ? with_codes : SecondsOf(rows, "all");
  std::printf("histograms: %.2f times the time without\n",
              SecondsOf(rows, "all, histograms") / without);
}

void Bench(const char* dtypes, const at::Tensor& x, const at::Tensor& y) {
  std::vector<Row> rows;
  AddReads(x, y, rows);
  AddOurs(x, y, rows);
  AddReference(x, y, rows);
  Measure(rows);
  const int64_t bytes = BytesOf(x) + BytesOf(y);
  std::printf("\n%s, %lld Ki elements, %.2f MB\n", dtypes,
              static_cast<long long>(x.numel() >> 10),
              static_cast<double>(bytes) * 1e-6);
  PrintTable(rows, bytes);
}

int Main(int argc, char** argv) {
  if (argc > 1) {
    const bool asks_for_help = std::strcmp(argv[1], "--help") == 0;
    std::fputs(asks_for_help ? kHelp : "bench_statistics: takes only --help\n",
               asks_for_help ? stdout : stderr);
    return asks_for_help ? 0 : 1;
  }
  at::set_num_threads(1);
  at::manual_seed(0);
  constexpr int64_t kChannels = 64;
  for (const int64_t elements : {1 << 16, 1 << 18, 1 << 20, 1 << 24}) {
    const at::Tensor x = at::randn({kChannels, elements / kChannels});
    Bench("float32 x quint8", x,
          at::quantize_per_tensor(x, 0.03, 128, at::kQUInt8));
    Bench("float32 x float32", x, x + 0.01 * at::randn_like(x));
    Bench("float32 x qint8 per channel", x,
          at::quantize_per_channel(x, 0.02 + 0.02 * at::rand({kChannels}),
                                   at::zeros({kChannels}, at::kLong), 0,
                                   at::kQInt8));
  }
  return 0;
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) { return ns::Main(argc, argv); }

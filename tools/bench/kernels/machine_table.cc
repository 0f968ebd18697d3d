#include "tools/bench/kernels/machine_table.h"

#include <ATen/Parallel.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/kernels/isa.h"
#include "tools/bench/kernels/blocks.h"
#include "tools/bench/kernels/roofline.h"

namespace ns::bench {
namespace {

struct Line {
  std::string name;
  const char* unit;
  double work;  // of a call
};

std::string SizeName(int64_t bytes) {
  return bytes < (1 << 20) ? absl::StrCat(bytes >> 10, " KB")
                           : absl::StrCat(bytes >> 20, " MB");
}

}  // namespace

std::string MachineTable(double seconds) {
  std::vector<Contender> contenders;
  std::vector<Line> lines;
  for (const kernels::Isa isa : kernels::SupportedIsas()) {
    const PeakLoop* loading =
        isa == kernels::Isa::kAvx512Vnni ? &kLoadingDpbusd512 : nullptr;
    for (const PeakLoop* loop : {PeakOf(isa), loading}) {
      if (loop != nullptr && isa <= kernels::ChosenIsa()) {
        const PeakWork work = WorkOf(*loop);
        contenders.push_back({loop->name, work.run});
        lines.push_back({loop->name, "GOPS", work.operations});
      }
    }
  }
  for (const int64_t bytes : {int64_t{32} << 10, int64_t{1} << 20,
                              int64_t{16} << 20, int64_t{256} << 20}) {
    const WeightReader reader(bytes, false);
    const double work =
        static_cast<double>(bytes) * static_cast<double>(reader.passes());
    const std::string size = SizeName(bytes);
    contenders.push_back({"", reader.Plain()});
    lines.push_back({absl::StrCat("read ", size), "GB/s", work});
    contenders.push_back({"", reader.WithPrefetch()});
    lines.push_back({absl::StrCat("read ", size, ", prefetch"), "GB/s", work});
    contenders.push_back({"", CopyOf(bytes / 2)});
    lines.push_back(
        {absl::StrCat("memcpy ", size), "GB/s", static_cast<double>(bytes)});
  }
  BlockOptions options;
  options.seconds = seconds;
  const std::vector<Timing> timings = RunInBlocks(contenders, options);
  const int threads = at::get_num_threads();
  std::string text = absl::StrFormat("\nmachine, %d thread%s\n", threads,
                                     threads == 1 ? "" : "s");
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppendFormat(&text, "%-27s%9.1f %s\n", lines[i].name,
                          lines[i].work / timings[i].Seconds() * 1e-9,
                          lines[i].unit);
  }
  return text;
}

}  // namespace ns::bench

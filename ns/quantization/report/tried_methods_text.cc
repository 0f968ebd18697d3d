#include "ns/quantization/report/tried_methods_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/findings/figure_text.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListed = 20;

// Of exact layers, both are infinite.
double Gain(const TriedMethod& tried) {
  return tried.with_db == tried.without_db ? 0
                                           : tried.with_db - tried.without_db;
}

// `tried` are all of one method.
std::string TextOf(std::vector<TriedMethod> tried) {
  absl::c_stable_sort(tried, [](const TriedMethod& a, const TriedMethod& b) {
    return Gain(a) > Gain(b);
  });
  // The layers that it was not kept in, by the reason.
  std::map<std::string, std::vector<std::string>> rest;
  std::vector<TriedMethod> kept;
  size_t width = 0;
  for (const TriedMethod& each : tried) {
    if (each.IsKept()) {
      kept.push_back(each);
      width = std::max(width, Printable(each.layer).size());
    } else {
      rest[each.reason].push_back(Printable(each.layer));
    }
  }
  std::string text =
      absl::StrCat("\n", tried[0].method, " kept in ", kept.size(), " of ",
                   tried.size(), tried.size() == 1 ? " layer" : " layers",
                   kept.empty()             ? "\n"
                   : tried[0].is_of_outputs ? ", SQNR of the worst output:\n"
                                            : ", SQNR on batches held back:\n");
  for (size_t i = 0; i < std::min(kept.size(), kListed); ++i) {
    absl::StrAppendFormat(
        &text, "  %-*s  %5s -> %s%s\n", width, Printable(kept[i].layer),
        FormatDb(kept[i].without_db), FormatDb(kept[i].with_db),
        std::isfinite(kept[i].with_db) ? " dB" : "");
  }
  if (kept.size() > kListed) {
    absl::StrAppend(&text, "  and ", kept.size() - kListed,
                    " more (see --json)\n");
  }
  for (auto& [reason, layers] : rest) {
    const size_t count = layers.size();
    const size_t more = count > kListed ? count - kListed : 0;
    layers.resize(count - more);
    absl::StrAppend(&text, "not in ", count, ", as ", reason, ": ",
                    absl::StrJoin(layers, ", "),
                    more > 0 ? absl::StrCat(" and ", more, " more") : "", "\n");
  }
  return text;
}

}  // namespace

std::string TriedMethodsText(const std::vector<TriedMethod>& tried) {
  std::vector<std::string> methods;
  for (const TriedMethod& each : tried) {
    if (!absl::c_linear_search(methods, each.method)) {
      methods.push_back(each.method);
    }
  }
  std::string text;
  for (const std::string& method : methods) {
    std::vector<TriedMethod> of_method;
    absl::c_copy_if(
        tried, std::back_inserter(of_method),
        [&](const TriedMethod& each) { return each.method == method; });
    text += TextOf(std::move(of_method));
  }
  return text;
}

}  // namespace ns

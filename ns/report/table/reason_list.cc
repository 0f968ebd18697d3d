#include "ns/report/table/reason_list.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListed = 20;

}  // namespace

std::string ReasonList(const std::vector<Reasoned>& items,
                       absl::string_view kind) {
  if (items.empty()) {
    return "";
  }
  std::vector<absl::string_view> reasons;
  for (const Reasoned& item : items) {
    if (!absl::c_linear_search(reasons, item.reason)) {
      reasons.push_back(item.reason);
    }
  }
  std::string text = absl::StrCat("\n", items.size(), " ", kind, ":\n");
  size_t listed = 0;
  for (const absl::string_view reason : reasons) {
    if (listed == kListed) {
      break;
    }
    absl::StrAppend(&text, "  ", Printable(reason), "\n");
    for (const Reasoned& item : items) {
      if (item.reason == reason && listed < kListed) {
        absl::StrAppend(&text, "    ", Printable(item.what), "\n");
        ++listed;
      }
    }
  }
  if (items.size() > listed) {
    absl::StrAppend(&text, "  and ", items.size() - listed,
                    " more (see --json)\n");
  }
  return text;
}

}  // namespace ns

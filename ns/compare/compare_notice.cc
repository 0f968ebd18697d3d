#include "ns/compare/compare_notice.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ns {
namespace {

constexpr size_t kMostNamed = 3;

}  // namespace

std::string FirstNames(const std::vector<std::string>& names) {
  const size_t named = std::min(names.size(), kMostNamed);
  return absl::StrCat(
      absl::StrJoin(names.begin(), names.begin() + named, ", "),
      names.size() > named
          ? absl::StrCat(" and ", names.size() - named, " others")
          : "");
}

std::string NoticeText(const CompareNotice& notice) {
  switch (notice.kind) {
    case CompareNotice::Kind::kComparedAsOneOp:
      return absl::StrCat(
          "modules of type ", absl::StrJoin(notice.types, " and "),
          " are compared as one op each: eager quantization takes them apart, "
          "and none of their ops could be compared");
    case CompareNotice::Kind::kUnmatchedInModules:
      return absl::StrCat(
          "ops of ", FirstNames(notice.modules),
          " are unmatched; eager quantization takes such modules apart, and "
          "with the leaves ",
          absl::StrJoin(notice.types, ", "),
          " each of them is compared as one op");
    case CompareNotice::Kind::kSettledEarly:
      return absl::StrCat("the comparison was settled after ", notice.done,
                          " of ", notice.total, " batches");
    case CompareNotice::Kind::kValuesLeftOut:
      break;
  }
  return absl::StrCat(notice.left_out,
                      " files of compared values did not fit into the budget; ",
                      notice.bytes, " bytes were written");
}

}  // namespace ns

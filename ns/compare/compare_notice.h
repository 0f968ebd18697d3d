// What a caller of Compare (compare.h) may want to know besides the figures, as
// data: a tool words it with the names of its flags.
#ifndef NS_COMPARE_COMPARE_NOTICE_H_
#define NS_COMPARE_COMPARE_NOTICE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

struct CompareNotice {
  enum class Kind {
    // Modules of `types` were compared as one op each, since eager quantization
    // takes them apart and none of their ops could be compared.
    kComparedAsOneOp,
    // Ops inside of `modules` are unmatched. As leaves
    // (CompareFilesOptions::leaves), `types` would be compared as one op each.
    kUnmatchedInModules,
    // CompareOptions::is_settled ended the comparison after `done` of `total`
    // batches.
    kSettledEarly,
    // `left_out` files of compared values did not fit into the budget of
    // CompareFilesOptions::save, of which `bytes` were used.
    kValuesLeftOut,
  };

  Kind kind = Kind::kComparedAsOneOp;
  std::vector<std::string> types = {};
  std::vector<std::string> modules = {};
  int64_t done = 0;
  int64_t total = 0;
  int64_t left_out = 0;
  int64_t bytes = 0;
};

// Returns the notice as a sentence that names no option.
std::string NoticeText(const CompareNotice& notice);

// Returns "a, b, c and 2 others": at most three of `names`.
std::string FirstNames(const std::vector<std::string>& names);

}  // namespace ns

#endif  // NS_COMPARE_COMPARE_NOTICE_H_

#include "ir/base/nearest_name.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringRef.h"

namespace ns {

absl::string_view NearestName(absl::string_view name,
                              absl::Span<const absl::string_view> names) {
  absl::string_view nearest;
  // With more changed letters it is another word.
  size_t least = name.size() / 2 + 1;
  for (const absl::string_view candidate : names) {
    // No long name of the user's is compared letter by letter.
    if (name.size() > candidate.size() + least) {
      continue;
    }
    const size_t distance =
        llvm::StringRef(name.data(), name.size())
            .edit_distance(llvm::StringRef(candidate.data(), candidate.size()));
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(absl::string_view name,
                       absl::Span<const absl::string_view> names,
                       absl::string_view otherwise) {
  const absl::string_view nearest = NearestName(name, names);
  return nearest.empty() ? std::string(otherwise)
                         : absl::StrCat("did you mean '", nearest, "'?");
}

}  // namespace ns

// Parses pipelines as text, and the options that passes read from it.
#ifndef PASSES_PIPELINE_PASS_OPTIONS_H_
#define PASSES_PIPELINE_PASS_OPTIONS_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// The options that follow a pass's name in braces. The code that makes a pass
// asks for each option that it has, and then for the error:
//
//   LowerToFbgemmOptions made;
//   made.fuse = options.Flag("fuse", true);
//   NS_RETURN_IF_ERROR(options.Check());
class PassOptions {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  explicit PassOptions(Values values) : values_(std::move(values)) {}

  // Returns the value of "fuse=false"; "fuse" alone is true.
  bool Flag(absl::string_view name, bool otherwise);
  std::string Text(absl::string_view name, absl::string_view otherwise);
  // Returns one of `choices`, the first when the option is not given.
  std::string Choice(absl::string_view name,
                     std::initializer_list<absl::string_view> choices);

  // Error: a value that an option does not take, or an option that was not
  // asked for, with the nearest one that was.
  absl::Status Check() const;

 private:
  // Returns the value, or null when it is not given, and notes that there is
  // such an option.
  const std::string* Find(absl::string_view name);

  Values values_;
  std::vector<std::string> known_;
  absl::Status error_;
};

// A pass as the text of a pipeline names it.
struct PassSpec {
  std::string name;
  PassOptions::Values options;
};

// Reads "match,lower-to-fbgemm{numerics=exact,fuse=false}"; white
// space around names and values does not count. Error: what was expected, and
// where: braces that do not match, an option or a pass without a name, an
// option that is there twice.
absl::StatusOr<std::vector<PassSpec>> ParsePassSpecs(absl::string_view text);

}  // namespace ns

#endif  // PASSES_PIPELINE_PASS_OPTIONS_H_

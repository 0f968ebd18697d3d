// Parses and documents the flags of a command from one table.
#ifndef TOOLS_COMMAND_LINE_COMMAND_LINE_H_
#define TOOLS_COMMAND_LINE_COMMAND_LINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

struct FlagSpec {
  // The flag's name without the dashes.
  absl::string_view name;
  // What the value is, for the usage text: "PATH". Empty for a switch.
  absl::string_view value;
  absl::string_view help;
};

struct CommandSpec {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view usage;
  absl::string_view details;
  absl::Span<const FlagSpec> flags;
  // A command line that can be pasted.
  absl::string_view example;
  // How many arguments that are no flags it takes at most, such as files.
  size_t most_arguments = 0;
};

// The values of flags that are given as --name=value, and switches as --name.
class Flags {
 public:
  // Parses `arguments`. Errors name the flag: it is unknown (with the closest
  // one there is), given twice, without its value, or an argument that is no
  // flag, where the command takes no more of them.
  static absl::StatusOr<Flags> Parse(absl::Span<const std::string> arguments,
                                     const CommandSpec& command);

  // The arguments that are no flags, in their order.
  const std::vector<std::string>& arguments() const { return arguments_; }

  bool Has(absl::string_view name) const;
  std::string Get(absl::string_view name,
                  absl::string_view otherwise = "") const;

  // Returns the flag's value. Error: the flag was not given or is empty.
  absl::StatusOr<std::string> Required(absl::string_view name) const;

  // Returns the parts between commas; empty when not given. Error: an empty
  // part.
  absl::StatusOr<std::vector<std::string>> List(absl::string_view name) const;

  // Returns a whole number of at least `least`; absent when not given.
  absl::StatusOr<std::optional<int64_t>> Number(absl::string_view name,
                                                int64_t least) const;

  // Returns a finite number above 0; absent when not given.
  absl::StatusOr<std::optional<double>> Positive(absl::string_view name) const;

  // Returns one of `choices`, the first when not given.
  absl::StatusOr<std::string> Choice(
      absl::string_view name,
      absl::Span<const absl::string_view> choices) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> arguments_;
};

// Returns "usage: ns compare ..." with every flag and the example.
std::string HelpText(const CommandSpec& command);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMMAND_LINE_H_

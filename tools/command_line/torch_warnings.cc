#include "tools/command_line/torch_warnings.h"

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstdio>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tools/command_line/short_lines.h"

namespace ns {
namespace {

// True for LibTorch's warning, since 2.13, that tensors of quint8, qint8 and
// qint32 are deprecated: models of these types are what ns is for.
bool IsAboutQuantizedTypes(absl::string_view text) {
  return absl::StrContains(text, "quint8") &&
         absl::StrContains(text, "deprecated");
}

class OncePerText : public c10::WarningHandler {
 public:
#if TORCH_VERSION_MAJOR < 2
  void process(const c10::SourceLocation& /*source_location*/,
               const std::string& text, const bool /*verbatim*/) override {
    Print(text);
  }
#else
  void process(const c10::Warning& warning) override { Print(warning.msg()); }
#endif

 private:
  void Print(const std::string& text) {
    if (IsAboutQuantizedTypes(text)) {
      return;
    }
    const std::string line = text.substr(0, text.find('\n'));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (seen_.insert(line).second) {
      std::fprintf(stderr, "ns: warning: LibTorch: %s\n",
                   ShortLines(line).c_str());
    }
  }

  // Every thread that has this handler may warn.
  std::mutex mutex_;
  absl::flat_hash_set<std::string> seen_;
};

}  // namespace

void PrintTorchWarningsOnce() {
  static OncePerText* const handler = new OncePerText();
#if TORCH_VERSION_MAJOR < 2
  c10::Warning::set_warning_handler(handler);
#else
  c10::WarningUtils::set_warning_handler(handler);
#endif
}

}  // namespace ns

#include "ir/base/symbol_text.h"

#include <ATen/core/interned_strings.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace ns {
namespace {

// A text such as "aten::relu" and the position where its "relu" begins.
struct Text {
  std::string qualified;
  size_t name_begin;
};

Text TextOf(c10::Symbol symbol) {
  std::string qualified = symbol.toQualString();
  const std::string name = symbol.toUnqualString();
  const size_t name_begin = qualified.size() - name.size();
  return {std::move(qualified), name_begin};
}

class Texts {
 public:
  const Text& Of(c10::Symbol symbol) {
    {
      const std::shared_lock lock(mutex_);
      const auto it = texts_.find(symbol);
      if (it != texts_.end()) {
        return *it->second;
      }
    }
    auto text = std::make_unique<const Text>(TextOf(symbol));
    const std::unique_lock lock(mutex_);
    return *texts_.try_emplace(symbol, std::move(text)).first->second;
  }

 private:
  std::shared_mutex mutex_;
  absl::flat_hash_map<c10::unique_t, std::unique_ptr<const Text>> texts_;
};

const Text& TextFor(c10::Symbol symbol) {
  static Texts& texts = *new Texts;  // Views outlive static destructors.
  return texts.Of(symbol);
}

}  // namespace

absl::string_view QualifiedText(c10::Symbol symbol) {
  // LibTorch's built-in symbols have constant texts.
  return symbol < static_cast<c10::unique_t>(c10::_keys::num_symbols)
             ? symbol.toQualString()
             : absl::string_view(TextFor(symbol).qualified);
}

absl::string_view UnqualifiedText(c10::Symbol symbol) {
  const Text& text = TextFor(symbol);
  return absl::string_view(text.qualified).substr(text.name_begin);
}

}  // namespace ns

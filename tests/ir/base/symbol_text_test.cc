#include "ir/base/symbol_text.h"

#include <ATen/core/interned_strings.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(SymbolTextTest, IsWithAndWithoutNamespace) {
  EXPECT_EQ(QualifiedText(c10::aten::relu), "aten::relu");
  EXPECT_EQ(UnqualifiedText(c10::aten::relu), "relu");
  const auto mine = c10::Symbol::fromQualString("mine::op");
  EXPECT_EQ(QualifiedText(mine), "mine::op");
  EXPECT_EQ(UnqualifiedText(mine), "op");
  const auto scope = c10::Symbol::scope("a::b(c)");
  EXPECT_EQ(UnqualifiedText(scope), "a::b(c)");
}

TEST(SymbolTextTest, StaysWhereItIsWhenMoreSymbolsCome) {
  const auto symbol = c10::Symbol::fromQualString("mine::op");
  const absl::string_view text = QualifiedText(symbol);
  // LibTorch's own, and short.
  const absl::string_view built_in = QualifiedText(c10::aten::relu);
  for (int i = 0; i < 20000; ++i) {
    QualifiedText(c10::Symbol::fromQualString(absl::StrCat("more::", i)));
  }
  EXPECT_EQ(text, "mine::op");
  EXPECT_EQ(QualifiedText(symbol).data(), text.data());
  EXPECT_EQ(built_in, "aten::relu");
  EXPECT_EQ(QualifiedText(c10::aten::relu).data(), built_in.data());
}

TEST(SymbolTextTest, IsOneForAllThreads) {
  std::vector<c10::Symbol> symbols;
  for (int i = 0; i < 1000; ++i) {
    symbols.push_back(
        c10::Symbol::fromQualString(absl::StrCat("threads::", i)));
  }
  std::vector<std::vector<absl::string_view>> texts(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : texts) {
    threads.emplace_back([&] {
      for (const c10::Symbol symbol : symbols) {
        of_thread.push_back(UnqualifiedText(symbol));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (size_t i = 0; i < symbols.size(); ++i) {
    for (const auto& of_thread : texts) {
      EXPECT_EQ(of_thread[i], absl::StrCat(i));
      EXPECT_EQ(of_thread[i].data(), texts[0][i].data());
    }
  }
}

}  // namespace
}  // namespace ns

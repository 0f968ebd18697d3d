#include "ns/compare/engines.h"

#include <ATen/Context.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/engine_error.h"
#include "ir/base/refusal.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;

TEST(AvailableEnginesTest, AreThoseOfLibTorchWithFbgemmFirst) {
  const std::vector<std::string> names = AvailableEngines();
  EXPECT_THAT(names, IsSubsetOf({"fbgemm", "x86", "onednn", "qnnpack"}));
  size_t count = 0;
  for (const at::QEngine engine : at::globalContext().supportedQEngines()) {
    if (engine != at::QEngine::NoQEngine) {
      ++count;
      const std::string name = absl::AsciiStrToLower(toString(engine));
      EXPECT_THAT(names, Contains(name));
    }
    if (engine == at::QEngine::FBGEMM) {
      EXPECT_EQ(names.front(), "fbgemm");
    }
  }
  EXPECT_EQ(names.size(), count);
}

TEST(WithEngineTest, SetsTheEngineThatIsNamed) {
  for (const std::string& name : AvailableEngines()) {
    int calls = 0;
    NS_EXPECT_OK(WithEngine(name, [&] {
      ++calls;
      EXPECT_EQ(absl::AsciiStrToLower(toString(at::globalContext().qEngine())),
                name);
      return absl::OkStatus();
    }));
    EXPECT_EQ(calls, 1) << name;
  }
}

TEST(WithEngineTest, NamesTheEnginesThereAreWhereOneIsMissing) {
  const absl::Status status =
      WithEngine("cudnn", [] { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("no engine cudnn"), HasSubstr("qnnpack")));
}

TEST(WithEngineTest, TriesAllAndReturnsTheFirstError) {
  int calls = 0;
  const absl::Status status = WithEngine("", [&] {
    ++calls;
    return EngineError(calls == 1 ? "first" : "later");
  });
  EXPECT_EQ(status, EngineError("first"));
  EXPECT_GT(calls, 1);
}

TEST(WithEngineTest, StopsAtTheFirstEngineThatWorks) {
  int calls = 0;
  NS_EXPECT_OK(WithEngine("", [&] {
    ++calls;
    return calls == 1 ? EngineError("no kernel") : absl::OkStatus();
  }));
  EXPECT_EQ(calls, 2);
}

TEST(WithEngineTest, TriesOnceWhatNoEngineMends) {
  for (const absl::Status& error :
       {absl::InvalidArgumentError("no such layer"), Refusal("no error"),
        absl::InternalError("a bug"), absl::NotFoundError("no such op")}) {
    int calls = 0;
    EXPECT_EQ(WithEngine("",
                         [&] {
                           ++calls;
                           return error;
                         }),
              error);
    EXPECT_EQ(calls, 1) << error;
  }
}

// The first engine cannot load the model, the second can, and then the labels
// are wrong: that is what a user has to mend.
TEST(WithEngineTest, ReturnsWhatNoEngineMendsInPlaceOfAnEngineError) {
  int calls = 0;
  const absl::Status status = WithEngine("", [&] {
    ++calls;
    return calls == 1 ? EngineError("no kernel")
                      : absl::InvalidArgumentError("wrong labels");
  });
  EXPECT_EQ(status, absl::InvalidArgumentError("wrong labels"));
  EXPECT_EQ(calls, 2);
}

TEST(WithEngineTest, TriesNoOtherEngineThanTheOneThatIsNamed) {
  int calls = 0;
  EXPECT_EQ(WithEngine("qnnpack",
                       [&] {
                         ++calls;
                         return EngineError("no kernel");
                       }),
            EngineError("no kernel"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ns

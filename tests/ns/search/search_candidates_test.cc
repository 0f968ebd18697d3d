#include "ns/search/search_candidates.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SearchCandidatesTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<SearchCandidate>> Named(
      const std::vector<std::string>& names) {
    skipped_.clear();
    return SearchCandidates(model_, {}, names, skipped_);
  }

  std::string RefusalOf(const std::vector<std::string>& names) {
    return std::string(Named(names).status().message());
  }

  ModelGraph model_ = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  std::vector<SkippedChoice> skipped_;
};

TEST_F(SearchCandidatesTest, TheDefaultIsThatOfTheOptions) {
  const auto candidates = OrThrow(Named({}));
  ASSERT_EQ(candidates.size(), 1);
  EXPECT_EQ(candidates[0].name, "default");
  EXPECT_EQ(candidates[0].mapping, DefaultMapping({}));
}

// Ops with fixed scales keep theirs.
TEST_F(SearchCandidatesTest, NamedOnesAreTheDefaultWithAnotherQConfig) {
  const auto candidates = OrThrow(Named({"float", "int8-per-channel"}));
  ASSERT_EQ(candidates.size(), 1);
  EXPECT_EQ(candidates[0].name, "int8-per-channel");
  EXPECT_EQ(candidates[0].mapping.global(), Int8PerChannelQConfig());
  EXPECT_EQ(candidates[0].mapping.object_types().size(),
            DefaultMapping({}).object_types().size());
  EXPECT_THAT(skipped_, IsEmpty());
}

TEST_F(SearchCandidatesTest, OnesWithoutStaticActivationsAreLeftOut) {
  EXPECT_EQ(OrThrow(Named({"dynamic", "default", "fbgemm-qat"})).size(), 1);
  ASSERT_EQ(skipped_.size(), 2);
  EXPECT_EQ(skipped_[0].layer, "all layers");
  EXPECT_EQ(skipped_[0].candidate, "dynamic");
  EXPECT_THAT(skipped_[0].reason, HasSubstr("has no kernel"));
  EXPECT_EQ(skipped_[1].candidate, "fbgemm-qat");
  EXPECT_EQ(skipped_[1].reason, "is for training");
}

TEST_F(SearchCandidatesTest, RefusesWhatLeavesNoChoice) {
  EXPECT_THAT(RefusalOf({"float"}), HasSubstr("only candidate"));
  EXPECT_THAT(RefusalOf({"int4-weights"}),
              HasSubstr("no candidate is left: int4-weights"));
  EXPECT_THAT(RefusalOf({"default", "default"}), HasSubstr("named twice"));
  EXPECT_THAT(RefusalOf({"int8-per-chanel"}), HasSubstr("int8-per-channel"));
}

// Without a model, too.
TEST_F(SearchCandidatesTest, ChecksNames) {
  NS_EXPECT_OK(CheckCandidates({}));
  NS_EXPECT_OK(CheckCandidates({"float", "default", "dynamic"}));
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"float"},
        {"dynamic"},
        {"a"},
        {"default", "default"}}) {
    EXPECT_EQ(CheckCandidates(names).message(), RefusalOf(names));
    EXPECT_FALSE(CheckCandidates(names).ok());
  }
}

}  // namespace
}  // namespace ns

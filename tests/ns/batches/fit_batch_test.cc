#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batches.h"

namespace ns {
namespace {

using c10::IValue;
using testing::HasSubstr;

// The schema of a method with these parameters, as "x: Tensor, n: int = 1".
c10::FunctionSchema Schema(const std::string& parameters) {
  torch::jit::Module module("m");
  module.define("def forward(self, " + parameters + "):\n  return 0\n");
  return module.get_method("forward").function().getSchema();
}

// Containers as LoadBatches makes them of a file.
IValue List(const std::vector<IValue>& elements) {
  c10::impl::GenericList list(c10::AnyType::get());
  for (const IValue& element : elements) {
    list.push_back(element);
  }
  return list;
}

IValue Dict(const std::vector<std::pair<IValue, IValue>>& entries) {
  c10::impl::GenericDict dict(c10::AnyType::get(), c10::AnyType::get());
  for (const auto& [key, value] : entries) {
    dict.insert_or_assign(key, value);
  }
  return dict;
}

IValue Tuple(std::vector<IValue> elements) {
  return c10::ivalue::Tuple::create(std::move(elements));
}

Batch Positional(std::vector<IValue> arguments) {
  return Batch{std::move(arguments), {}};
}

std::string Error(const std::string& parameters, Batch batch) {
  const absl::Status status = FitBatch(Schema(parameters), batch);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

// Fits one argument, and has the schema's own check confirm it.
IValue Fitted(const std::string& type, const IValue& value) {
  const c10::FunctionSchema schema = Schema("x: " + type);
  Batch batch = Positional({value});
  const absl::Status status = FitBatch(schema, batch);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<IValue> inputs = {IValue(torch::jit::Module("m")._ivalue()),
                                batch.arguments[0]};
  EXPECT_TRUE(
      inputs[1].type<c10::Type>()->isSubtypeOf(*schema.arguments()[1].type()))
      << inputs[1].type()->annotation_str();
  return batch.arguments[0];
}

TEST(FitBatchTest, AcceptsWhatFits) {
  Batch batch = Positional({at::ones({2}), 3});
  EXPECT_TRUE(FitBatch(Schema("x: Tensor, n: int"), batch).ok());
  EXPECT_EQ(batch.arguments.size(), 2);
}

TEST(FitBatchTest, KeepsWhereTheBatchComesFrom) {
  Batch batch = Positional({at::ones({2})});
  batch.source = "b.pt: batch 2";
  EXPECT_TRUE(FitBatch(Schema("x: Tensor"), batch).ok());
  EXPECT_EQ(BatchName(batch, 12), "b.pt: batch 2");
}

TEST(FitBatchTest, DefaultsMayBeMissing) {
  Batch batch = Positional({at::ones({2})});
  EXPECT_TRUE(FitBatch(Schema("x: Tensor, n: int = 1"), batch).ok());
  EXPECT_EQ(batch.arguments.size(), 1);
}

TEST(FitBatchTest, AcceptsKeywords) {
  Batch batch{{at::ones({2})}, {{"n", 3}}};
  EXPECT_TRUE(
      FitBatch(Schema("x: Tensor, m: int = 1, n: float = 2."), batch).ok());
  EXPECT_EQ(batch.keywords.at("n").toDouble(), 3);
}

TEST(FitBatchTest, RefusesCounts) {
  const at::Tensor x = at::ones({2});
  EXPECT_EQ(Error("x: Tensor, y: Tensor", Positional({x})),
            "method 'forward' takes 2 arguments and the input batch has 1; "
            "save tuples of 2");
  EXPECT_EQ(Error("x: Tensor", Positional({x, x})),
            "method 'forward' takes 1 argument and the input batch has 2; save "
            "tensors or tuples of 1");
  EXPECT_THAT(Error("x: Tensor, n: int = 1", Positional({x, 1, x})),
              HasSubstr("takes 1 to 2 arguments and the input batch has 3"));
}

TEST(FitBatchTest, DropsALabelAfterTheArguments) {
  const at::Tensor image = at::ones({2});
  for (const IValue& label : {IValue(at::ones({2}, at::kLong)), IValue(3)}) {
    Batch batch = Positional({image, label});
    EXPECT_TRUE(FitBatch(Schema("x: Tensor"), batch).ok());
    ASSERT_EQ(batch.arguments.size(), 1);
    EXPECT_TRUE(batch.arguments[0].toTensor().is_same(image));
  }
  Batch segmented =
      Positional({at::ones({2, 3, 4, 5}), at::ones({2, 4, 5}, at::kLong)});
  EXPECT_TRUE(FitBatch(Schema("x: Tensor"), segmented).ok());
  EXPECT_EQ(segmented.arguments.size(), 1);
  Batch with_default = Positional({image, 1, 2});
  EXPECT_TRUE(FitBatch(Schema("x: Tensor, n: int = 1"), with_default).ok());
  EXPECT_EQ(with_default.arguments.size(), 2);
}

TEST(FitBatchTest, AMaskIsNoLabel) {
  const at::Tensor tokens = at::ones({2, 7}, at::kLong);
  EXPECT_THAT(Error("x: Tensor", Positional({tokens, tokens})),
              HasSubstr("takes 1 argument and the input batch has 2"));
  EXPECT_THAT(Error("x: Tensor", Positional({at::ones({2, 7, 7}), tokens})),
              HasSubstr("takes 1 argument and the input batch has 2"));
  EXPECT_THAT(Error("x: Tensor", Positional({at::ones({2, 3, 4, 5}),
                                             at::ones({2, 4, 4}, at::kLong)})),
              HasSubstr("takes 1 argument and the input batch has 2"));
}

TEST(FitBatchTest, KeepsIntegersThatAreArguments) {
  Batch batch = Positional({at::ones({2}), at::ones({2}, at::kLong)});
  EXPECT_TRUE(FitBatch(Schema("x: Tensor, y: Tensor"), batch).ok());
  EXPECT_EQ(batch.arguments.size(), 2);
  EXPECT_THAT(Error("", Positional({3})), HasSubstr("takes 0 arguments"));
}

TEST(FitBatchTest, RefusesNames) {
  const at::Tensor x = at::ones({2});
  EXPECT_EQ(Error("x: Tensor, n: int", Batch{{x}, {{"k", 1}}}),
            "method 'forward' has no argument 'k', which the input batch has; "
            "its arguments are x, n");
  EXPECT_THAT(Error("x: Tensor, n: int", Batch{{}, {{"x", x}}}),
              HasSubstr("needs argument 'n', which the input batch lacks"));
  EXPECT_THAT(Error("x: Tensor", Batch{{x}, {{"x", x}}}),
              HasSubstr("gets argument 'x' twice"));
}

TEST(FitBatchTest, RefusesTypes) {
  EXPECT_EQ(Error("x: Tensor", Positional({3})),
            "method 'forward' cannot take the input batch: argument 'x' is an "
            "int where Tensor is declared");
  EXPECT_THAT(Error("x: List[Tensor]", Positional({at::ones({2})})),
              HasSubstr("is a tensor where List[Tensor] is declared"));
  EXPECT_THAT(Error("x: List[Tensor]", Positional({List({at::ones({2}), 1})})),
              HasSubstr("argument 'x' at element 1 is an int where Tensor"));
  EXPECT_THAT(Error("x: Dict[str, List[int]]",
                    Positional({Dict({{"k", List({1, "text"})}})})),
              HasSubstr("at key 'k' at element 1 is a str where int"));
  EXPECT_THAT(Error("x: Tuple[int, int]", Positional({Tuple({1})})),
              HasSubstr("is a tuple of 1 where Tuple[int, int]"));
  EXPECT_THAT(Error("x: Tensor", Positional({IValue()})),
              HasSubstr("is None where Tensor"));
  EXPECT_THAT(Error("x: int", Positional({2.5})),
              HasSubstr("is a float where int"));
}

TEST(FitBatchTest, LeavesTheBatchAloneOnError) {
  Batch batch = Positional({3, 4});
  EXPECT_FALSE(FitBatch(Schema("x: float, y: Tensor"), batch).ok());
  EXPECT_TRUE(batch.arguments[0].isInt());
}

TEST(FitBatchTest, GivesContainersTheirDeclaredTypes) {
  const at::Tensor x = at::ones({2});
  EXPECT_TRUE(Fitted("List[Tensor]", List({x, x})).isTensorList());
  EXPECT_TRUE(Fitted("List[Tensor]", Tuple({x})).isTensorList());
  EXPECT_TRUE(Fitted("List[int]", List({1, 2})).isIntList());
  EXPECT_TRUE(Fitted("List[float]", List({1, 2.5})).isDoubleList());
  EXPECT_TRUE(Fitted("List[int]", List({})).isIntList());
  Fitted("Dict[str, Tensor]", Dict({{"k", x}}));
  Fitted("Dict[int, List[List[float]]]", Dict({{1, List({List({2})})}}));
  Fitted("Tuple[Tensor, List[int]]", Tuple({x, List({1})}));
  Fitted("Optional[List[Tensor]]", List({x}));
  EXPECT_TRUE(Fitted("Optional[List[Tensor]]", IValue()).isNone());
  Fitted("List[Optional[Tensor]]", List({x, IValue()}));
  Fitted("List[Tuple[Tensor, float]]", List({Tuple({x, 1})}));
}

TEST(FitBatchTest, AcceptsListsThatHaveATypeAlready) {
  EXPECT_TRUE(
      Fitted("List[int]", IValue(std::vector<int64_t>{1, 2})).isIntList());
  EXPECT_TRUE(
      Fitted("List[Tensor]", IValue(std::vector<at::Tensor>{at::ones({2})}))
          .isTensorList());
}

TEST(FitBatchTest, ConvertsScalars) {
  EXPECT_EQ(Fitted("float", 3).toDouble(), 3);
  EXPECT_EQ(Fitted("Optional[float]", 3).toDouble(), 3);
  EXPECT_EQ(Fitted("str", "text").toStringRef(), "text");
  EXPECT_TRUE(Fitted("bool", true).toBool());
  EXPECT_TRUE(Fitted("Device", c10::Device(c10::kCPU)).isDevice());
}

TEST(FitBatchTest, PrefersTheExactMemberOfAUnion) {
  EXPECT_TRUE(Fitted("Union[float, int]", 3).isInt());
  EXPECT_TRUE(Fitted("Union[float, str]", 3).isDouble());
}

}  // namespace
}  // namespace ns

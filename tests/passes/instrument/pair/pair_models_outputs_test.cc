#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using Tensors = std::vector<at::Tensor>;

// The comparers at the other outputs of the one match of that name.
const std::vector<OtherOutputComparers>& OthersAt(const Paired& models,
                                                  const std::string& name) {
  for (size_t i = 0; i < models.matches.matches.size(); ++i) {
    if (models.matches.matches[i].name == name) {
      return models.pair.comparers[i].others;
    }
  }
  throw std::runtime_error("no match " + name);
}

// An LSTM layer or cell with two sets of weights: those of A, and of B.
class PairModelsOutputsTest : public testing::Test {
 protected:
  PairModelsOutputsTest() {
    at::manual_seed(12);
    x_ = at::randn({5, 2, 4});
    for (Tensors* weights : {&of_a_, &of_b_}) {
      *weights = {at::randn({12, 4}), at::randn({12, 3})};
    }
  }

  // `source`, with FACTOR for what tells the models apart besides weights.
  static ModelGraph Model(const std::string& source, const std::string& factor,
                          const Tensors& weights) {
    return ModelOfSource(absl::StrReplaceAll(source, {{"FACTOR", factor}}),
                         {{"w", weights[0]}, {"r", weights[1]}});
  }

  static Tensors Lstm(const at::Tensor& x, const Tensors& weights) {
    const at::Tensor state = at::zeros({1, x.size(1), 3});
    const auto [y, h, c] =
        at::lstm(x, {state, state}, weights, false, 1, 0., false, false, false);
    return {y, h, c};
  }

  at::Tensor x_;
  Tensors of_a_;
  Tensors of_b_;
};

constexpr char kLstm[] =
    "def forward(self, x: Tensor):\n"
    "    x = torch.sigmoid(torch.mul(x, FACTOR))\n"
    "    s = torch.zeros([1, x.size(1), 3])\n"
    "    y, h, c = torch.lstm(x, [s, s], [self.w, self.r], False, 1, 0., "
    "False, False, False)\n"
    "    return y, h, c\n";

TEST_F(PairModelsOutputsTest, ComparesAllOutputsOfAnLstm) {
  Paired models(Model(kLstm, "1.", of_a_), Model(kLstm, "1.5", of_b_), All());
  models.ExpectSameAsAlone({x_});
  const Tensors a = Lstm(x_.sigmoid(), of_a_);
  const at::Tensor input_b = (x_ * 1.5).sigmoid();
  const Tensors b = Lstm(input_b, of_b_);
  const Tensors shadow = Lstm(input_b, of_a_);
  ExpectCompared(models.Activation("lstm"), {a[0]}, {b[0]});
  ExpectCompared(models.Shadow("lstm"), {shadow[0]}, {b[0]});
  const auto& others = OthersAt(models, "lstm");
  ASSERT_THAT(others, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(others[i].index, i + 1);
    EXPECT_EQ(others[i].name, i == 0 ? "h_n" : "c_n");
    ExpectCompared(others[i].activation, {a[i + 1]}, {b[i + 1]});
    ExpectCompared(others[i].shadow, {shadow[i + 1]}, {b[i + 1]});
    ExpectCompared(others[i].inherited, {a[i + 1]}, {shadow[i + 1]});
  }
}

TEST_F(PairModelsOutputsTest, ShadowsAloneCompareAllOutputs) {
  Paired models(Model(kLstm, "1.", of_a_), Model(kLstm, "1.", of_b_),
                Shadows());
  models.Run({x_}, {x_});
  const Tensors a = Lstm(x_.sigmoid(), of_a_);
  const Tensors b = Lstm(x_.sigmoid(), of_b_);
  const auto& others = OthersAt(models, "lstm");
  ASSERT_THAT(others, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(others[i].activation, nullptr);
    EXPECT_EQ(others[i].inherited, nullptr);
    ExpectCompared(others[i].shadow, {a[i + 1]}, {b[i + 1]});
  }
}

TEST_F(PairModelsOutputsTest, FailedShadowLeavesActivationsOfAllOutputs) {
  Paired models(Model(kLstm, "1.", of_a_), Model(kLstm, "1.", of_b_), All());
  // Fails for want of a method, and is not tried again.
  models.At("lstm").guard->Run(models.a.module()._ivalue(), "no_method", {});
  models.ExpectSameAsAlone({x_});
  for (const OtherOutputComparers& other : OthersAt(models, "lstm")) {
    EXPECT_GT(other.activation->record().pooled.sums.count, 0);
    EXPECT_EQ(other.shadow->record().pooled.sums.count, 0);
    EXPECT_EQ(other.inherited->record().pooled.sums.count, 0);
  }
}

TEST_F(PairModelsOutputsTest, OutputsAreComparedTogetherInTheirOrder) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %dim : int):
  %no : bool = prim::Constant[value=0]()
  %q : Tensor, %r : Tensor = aten::qr(%x, %no)
  %n : Tensor = aten::neg_(%r)
  return (%n))IR";
  Paired models(kText, kText, All());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%2, %3 = aten::qr(%0, False)
%4, %5 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 2, %0)
%6 = aten::__getitem__(%5, 0)
%7 = aten::__getitem__(%5, 1)
%8, %9 = aten::qr(%0, False)
self.ns_comparer_0.compare(%2, %8)
prim::If(%4)
  then:
    self.ns_comparer_1.compare(%6, %8)
    self.ns_comparer_2.compare(%2, %6)
    -> ()
  else:
    -> ()
self.ns_comparer_3.compare(%3, %9)
prim::If(%4)
  then:
    self.ns_comparer_4.compare(%7, %9)
    self.ns_comparer_5.compare(%3, %7)
    -> ()
  else:
    -> ()
%10 = aten::neg_(%3)
%11, %12 = ns::run_shadow(self.ns_shadow_guard_1, self, "ns_shadow_1", 1, %9)
%13 = aten::__getitem__(%12, 0)
%14 = aten::neg_(%9)
self.ns_comparer_6.compare(%10, %14)
prim::If(%11)
  then:
    self.ns_comparer_7.compare(%13, %14)
    self.ns_comparer_8.compare(%10, %13)
    -> ()
  else:
    -> ()
%15 = prim::TupleConstruct(%10, %14)
return (%15))IR");
}

// A runs on before B comes by, and overwrites what waits.
TEST_F(PairModelsOutputsTest, OutputsThatWaitAreKeptFromBeingOverwritten) {
  constexpr char kText[] =
      "def forward(self, x: Tensor):\n"
      "    s = torch.zeros([1, x.size(1), 3])\n"
      "    FIRST\n"
      "    SECOND\n"
      "    c.neg_()\n"
      "    return y, h, c, t\n";
  const std::string lstm =
      "y, h, c = torch.lstm(x, [s, s], [self.w, self.r], False, 1, 0., False, "
      "False, False)\n    h.zero_()";
  const std::string tanh = "t = torch.tanh(x)";
  const auto model = [&](const std::string& first, const std::string& second,
                         const Tensors& weights) {
    return Model(
        absl::StrReplaceAll(kText, {{"FIRST", first}, {"SECOND", second}}),
        "1.", weights);
  };
  Paired models(model(lstm, tanh, of_a_), model(tanh, lstm, of_b_), All(),
                {"tanh", "lstm"});
  models.ExpectSameAsAlone({x_});
  const Tensors a = Lstm(x_, of_a_);
  const Tensors b = Lstm(x_, of_b_);
  const auto& others = OthersAt(models, "lstm");
  ASSERT_THAT(others, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    ExpectCompared(others[i].activation, {a[i + 1]}, {b[i + 1]});
    ExpectCompared(others[i].shadow, {a[i + 1]}, {b[i + 1]});
  }
}

Tensors Cell(const at::Tensor& x, const at::Tensor& h, const at::Tensor& c,
             const Tensors& weights) {
  const auto [next_h, next_c] =
      at::lstm_cell(x, {h, c}, weights[0], weights[1]);
  return {next_h, next_c};
}

constexpr char kCell[] =
    "def forward(self, x: Tensor, n: int):\n"
    "    h = torch.zeros([x.size(1), 3])\n"
    "    c = torch.zeros([x.size(1), 3])\n"
    "    for i in range(n):\n"
    "        h, c = torch.lstm_cell(x[i], [h, c], self.w, self.r)\n"
    "    return h, c\n";

TEST_F(PairModelsOutputsTest, ComparesAllOutputsInEveryTripOfALoop) {
  Paired models(Model(kCell, "1.", of_a_), Model(kCell, "1.", of_b_), All());
  models.ExpectSameAsAlone({x_, int64_t{3}});
  Tensors a = {at::zeros({2, 3}), at::zeros({2, 3})};
  Tensors b = a;
  Tensors states_a;
  Tensors states_b;
  Tensors shadows;
  for (int64_t i = 0; i < 3; ++i) {
    shadows.push_back(Cell(x_[i], b[0], b[1], of_a_)[1]);
    a = Cell(x_[i], a[0], a[1], of_a_);
    b = Cell(x_[i], b[0], b[1], of_b_);
    states_a.push_back(a[1]);
    states_b.push_back(b[1]);
  }
  const auto& others = OthersAt(models, "lstm_cell");
  ASSERT_THAT(others, SizeIs(1));
  EXPECT_EQ(others[0].name, "c_n");
  ExpectCompared(others[0].activation, states_a, states_b);
  ExpectCompared(others[0].shadow, shadows, states_b);
  EXPECT_THAT(others[0].activation->record().trips, SizeIs(3));
}

// Where one goes on alone, its outputs are counted, not compared.
TEST_F(PairModelsOutputsTest, CountsOutputsThatOnlyOneModelHas) {
  const std::string source =
      absl::StrReplaceAll(kCell, {{"(n)", "(n + TRIPS)"}});
  const auto with = [&](const char* trips) {
    return absl::StrReplaceAll(source, {{"TRIPS", trips}});
  };
  Paired models(Model(with("0"), "1.", of_a_), Model(with("2"), "1.", of_b_),
                All());
  models.ExpectSameAsAlone({x_, int64_t{2}});
  const auto& others = OthersAt(models, "lstm_cell");
  ASSERT_THAT(others, SizeIs(1));
  EXPECT_EQ(others[0].activation->record().only_y, 2);
  EXPECT_EQ(others[0].activation->record().pooled.sums.count, 2 * 6);
  // The shadow is B's alone: it is compared in all four trips.
  EXPECT_EQ(others[0].shadow->record().pooled.sums.count, 4 * 6);
}

// The op stands in control flow of B alone: values wait for each other.
TEST_F(PairModelsOutputsTest, OutputsThatComeByApartMeet) {
  constexpr char kInIf[] =
      "def forward(self, x: Tensor):\n"
      "    s = torch.zeros([1, x.size(1), 3])\n"
      "    y = x\n"
      "    if bool(x.sum() < 1000):\n"
      "        y, h, c = torch.lstm(x, [s, s], [self.w, self.r], False, 1, "
      "0., False, False, False)\n"
      "    return y\n";
  constexpr char kPlain[] =
      "def forward(self, x: Tensor):\n"
      "    s = torch.zeros([1, x.size(1), 3])\n"
      "    y, h, c = torch.lstm(x, [s, s], [self.w, self.r], False, 1, 0., "
      "False, False, False)\n"
      "    return y\n";
  for (const bool b_in_if : {true, false}) {
    Paired models(Model(b_in_if ? kPlain : kInIf, "1.", of_a_),
                  Model(b_in_if ? kInIf : kPlain, "1.", of_b_), All(),
                  {"lstm"});
    models.ExpectSameAsAlone({x_});
    const Tensors a = Lstm(x_, of_a_);
    const Tensors b = Lstm(x_, of_b_);
    const auto& others = OthersAt(models, "lstm");
    ASSERT_THAT(others, SizeIs(2));
    for (size_t i = 0; i < 2; ++i) {
      ExpectCompared(others[i].activation, {a[i + 1]}, {b[i + 1]});
      ExpectCompared(others[i].shadow, {a[i + 1]}, {b[i + 1]});
      ExpectCompared(others[i].inherited, {a[i + 1]}, {a[i + 1]});
    }
  }
}

TEST_F(PairModelsOutputsTest, ComparesAllTensorsOfATuple) {
  const auto model = [](const char* factor) {
    const torch::jit::Module block = MakeModule(
        "Block", absl::StrReplaceAll(
                     "def forward(self, x: Tensor) -> Tuple[Tensor, "
                     "Tuple[Tensor, Tensor]]:\n"
                     "    return torch.sigmoid(x), (torch.mul(x, FACTOR), "
                     "torch.add(x, FACTOR))\n",
                     {{"FACTOR", factor}}));
    return ModelOfModule(
        MakeModel({{"block", block}},
                  {"y, s = self.block.forward(x)", "return s[0] + y"}),
        {"Block"});
  };
  Paired models(model("2."), model("3."), All());
  models.ExpectSameAsAlone({x_});
  ExpectCompared(models.Activation("block"), {x_.sigmoid()}, {x_.sigmoid()});
  const auto& others = OthersAt(models, "block");
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(others[0].name, "1");
  EXPECT_EQ(others[1].name, "2");
  for (const auto& of :
       {&OtherOutputComparers::activation, &OtherOutputComparers::shadow}) {
    ExpectCompared(others[0].*of, {x_ * 2}, {x_ * 3});
    ExpectCompared(others[1].*of, {x_ + 2}, {x_ + 3});
  }
}

TEST_F(PairModelsOutputsTest, IndicesAreNotComparedAsNumbers) {
  constexpr char kMax[] = R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %no : bool = prim::Constant[value=0]()
  %v : Tensor, %i : Tensor = aten::max(%x, %zero, %no)
  return (%v))IR";
  Paired models(kMax, kMax, All());
  models.ExpectSameAsAlone({x_});
  EXPECT_EQ(models.Activation("max")->record().pooled.sums.count, 8);
  const auto& others = OthersAt(models, "max");
  ASSERT_THAT(others, SizeIs(1));
  EXPECT_EQ(others[0].name, "indices");
  EXPECT_THAT(others[0].activation->record().batches, IsEmpty());
  EXPECT_THAT(others[0].shadow->record().batches, IsEmpty());
}

}  // namespace
}  // namespace ns

// PairComparer as TorchScript sees it: its methods, and what a file keeps.
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

at::Tensor Filled(double value) { return at::full({2, 3}, value); }

class SavedPairComparerTest : public testing::Test {
 protected:
  // A module that calls a comparer, which is its attribute.
  static torch::jit::Module ModuleWith(const PairComparerPtr& comparer) {
    torch::jit::Module module("__torch__.Comparing");
    const c10::IValue object(comparer);
    module.register_attribute("comparer", object.type(), object);
    module.define(
        "def forward(self, x: Tensor, y: Tensor) -> float:\n"
        "    self.comparer.compare(x, y)\n"
        "    self.comparer.see_x(x)\n"
        "    self.comparer.see_y(y)\n"
        "    self.comparer.miss_x()\n"
        "    self.comparer.miss_y()\n"
        "    self.comparer.miss_y()\n"
        "    self.comparer.end_batch()\n"
        "    return self.comparer.sqnr_db()\n"
        "def count(self) -> int:\n"
        "    return self.comparer.count()\n"
        "def clear(self):\n"
        "    self.comparer.clear()\n");
    return module;
  }

  static torch::jit::Module Reloaded(const torch::jit::Module& module) {
    std::stringstream file;
    module.save(file);
    return torch::jit::load(file);
  }

  static PairComparerPtr ComparerOf(const torch::jit::Module& module) {
    return module.attr("comparer").toCustomClass<PairComparer>();
  }
};

TEST_F(SavedPairComparerTest, TorchScriptCallsEveryMethod) {
  const auto comparer = c10::make_intrusive<PairComparer>();
  torch::jit::Module module = ModuleWith(comparer);
  const double sqnr = module.forward({Filled(2), Filled(3)}).toDouble();
  EXPECT_NEAR(sqnr, 20 * std::log10(2), 1e-9);
  EXPECT_EQ(comparer->record().pooled.sums.count, 12);
  EXPECT_EQ(comparer->record().only_x, 2);
  EXPECT_EQ(comparer->record().only_y, 1);
  EXPECT_THAT(comparer->record().batches, SizeIs(1));
  EXPECT_EQ(module.run_method("count").toInt(), 12);
  module.run_method("clear");
  EXPECT_EQ(comparer->record().pooled.sums.count, 0);
}

TEST_F(SavedPairComparerTest, LoadsWithAllThatItGathered) {
  PairComparerOptions options;
  options.in_loop = true;
  options.channels = ChannelDim::kSecond;
  const auto comparer = c10::make_intrusive<PairComparer>(options);
  torch::jit::Module module = ModuleWith(comparer);
  at::manual_seed(3);
  for (int batch = 0; batch < 3; ++batch) {
    const at::Tensor x = at::randn({2, 3});
    module.forward({x, at::quantize_per_tensor(x, 0.1, 90, at::kQUInt8)});
  }
  module.forward({at::tensor({INFINITY, NAN}), at::tensor({1.f, -INFINITY})});
  comparer->Compare(at::ones({1}), at::ones({2}));
  comparer->EndBatch();
  const PairRecord& saved = comparer->record();

  const auto loaded = ComparerOf(Reloaded(module));
  EXPECT_TRUE(loaded->options().in_loop);
  EXPECT_EQ(loaded->options().channels, ChannelDim::kSecond);
  EXPECT_EQ(loaded->problem(), comparer->problem());
  const PairRecord& record = loaded->record();
  EXPECT_EQ(record.shape, saved.shape);
  EXPECT_EQ(record.only_x, saved.only_x);
  EXPECT_EQ(record.only_y, saved.only_y);
  EXPECT_EQ(record.pooled.codes, saved.pooled.codes);
  ASSERT_EQ(record.batches.size(), saved.batches.size());
  ASSERT_EQ(record.trips.size(), saved.trips.size());
  EXPECT_EQ(record.trips[1].count, saved.trips[1].count);
  EXPECT_EQ(record.batches[1].ToNumbers(), saved.batches[1].ToNumbers());
  ASSERT_THAT(record.pooled.channels, SizeIs(3));
  EXPECT_EQ(record.pooled.channels[1].sum_e2, saved.pooled.channels[1].sum_e2);
  EXPECT_EQ(record.pooled.sums.nan_x, 2);
  EXPECT_EQ(record.pooled.sums.inf_y, 2);
  EXPECT_TRUE(std::isnan(record.pooled.sums.sum_x2));
}

TEST_F(SavedPairComparerTest, LoadedOneGoesOn) {
  PairComparerOptions in_loop;
  in_loop.in_loop = true;
  const auto once = c10::make_intrusive<PairComparer>(in_loop);
  torch::jit::Module module = ModuleWith(once);
  module.forward({Filled(1), Filled(2)});
  torch::jit::Module loaded = Reloaded(module);
  for (torch::jit::Module* one : {&module, &loaded}) {
    one->forward({Filled(5), Filled(3)});
  }
  const PairRecord& expected = once->record();
  const PairRecord actual = ComparerOf(loaded)->record();
  EXPECT_EQ(actual.pooled.ToNumbers(), expected.pooled.ToNumbers());
  EXPECT_THAT(actual.batches, SizeIs(2));
  EXPECT_THAT(actual.trips, SizeIs(2));
  EXPECT_THAT(actual.shape, ElementsAre(2, 3));
}

TEST_F(SavedPairComparerTest, LoadsWithItsOptions) {
  PairComparerOptions options;
  options.by_batch = false;
  options.codes = false;
  options.channels = ChannelDim::kNearConv3d;
  const auto loaded = ComparerOf(
      Reloaded(ModuleWith(c10::make_intrusive<PairComparer>(options))));
  EXPECT_FALSE(loaded->options().by_batch);
  EXPECT_FALSE(loaded->options().codes);
  EXPECT_FALSE(loaded->options().in_loop);
  EXPECT_EQ(loaded->options().channels, ChannelDim::kNearConv3d);
}

TEST_F(SavedPairComparerTest, EmptyOneLoads) {
  const auto loaded =
      ComparerOf(Reloaded(ModuleWith(c10::make_intrusive<PairComparer>())));
  EXPECT_EQ(loaded->record().pooled.sums.ToNumbers(),
            PairStatistics().ToNumbers());
  EXPECT_THAT(loaded->record().batches, IsEmpty());
  EXPECT_EQ(loaded->problem(), "");
}

}  // namespace
}  // namespace ns

// Quantizes random networks and random programs: whatever they hold, the
// result runs, and needs LibTorch only.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/kernels/isa.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/chain_graph.h"
#include "tests/testing/chain_values.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/random_chain.h"
#include "tests/testing/random_program.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int64_t kNetworks = 120;
constexpr int kPrograms = 200;

// Ways to quantize, one for each seed in turn.
QuantizeOptions OptionsOf(int64_t seed) {
  // Without VNNI, oneDNN's sums saturate with weights and activations of 8
  // bits.
  const Backend backends[] = {
      Backend::kFbgemm, kernels::HasVnni() ? Backend::kOnednn : Backend::kX86,
      Backend::kQnnpack};
  constexpr ObserverKind kKinds[] = {ObserverKind::kMse, ObserverKind::kMinMax,
                                     ObserverKind::kEntropy,
                                     ObserverKind::kMovingAverageMinMax};
  QuantizeOptions options;
  options.backend = backends[seed % 3];
  options.observer = kKinds[seed / 3 % 4];
  options.reference = seed % 5 == 4;
  options.compat = seed % 7 == 6;
  return options;
}

struct Case {
  ModelGraph model;
  std::vector<Batch> batches;
};

// A network, and a batch for each of its arms.
Case NetworkOf(int64_t seed) {
  const Chain chain = RandomChain(seed);
  ChainGraphOptions options;
  options.has_paths = seed % 2 == 0;
  Case network = {OrThrow(ModelGraph::FromGraph(
                      MakeChainGraph(chain, options, {}, seed).graph)),
                  {}};
  for (int64_t i = 0; i < 4; ++i) {
    network.batches.push_back(
        {{ChainInput(chain, 10 * seed + i), i % 2 == 0}, {}});
  }
  return network;
}

// A random program; in those of odd seeds, products of matrices are linear
// layers.
std::string SourceOf(int seed) {
  const std::string source = RandomProgram(seed);
  return seed % 2 == 0
             ? source
             : std::regex_replace(
                   source,
                   std::regex("torch.matmul\\((v[0-9]+), other=v[0-9]+\\)"),
                   "torch.linear($1, self.w, self.b)");
}

// A program, and batches that it runs on: a few it does not, as LibTorch's
// interpreter loses a value.
Case ProgramOf(int seed) {
  at::manual_seed(seed);
  Case program = {OrThrow(ModelGraph::FromModule(MakeModule(
                      "M", SourceOf(seed),
                      {{"w", at::randn({4, 4})}, {"b", at::randn({4})}}))),
                  {}};
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = at::randn({4, 4});
    if (program.model.Run({x.clone()}).ok()) {
      program.batches.push_back({{x}, {}});
    }
  }
  return program;
}

at::Tensor OutputOf(ModelGraph& model, const Batch& batch) {
  // Ops in place may write to inputs.
  std::vector<c10::IValue> arguments = batch.arguments;
  arguments[0] = arguments[0].toTensor().clone();
  return OrThrow(model.Run(arguments)).toTensor().clone();
}

// Where calibration comes to none of them, that is an error.
bool AllLayersMayNotRun(const ModelGraph& prepared) {
  const PreparedModel record =
      OrThrow(AttachedPreparedModel(prepared.module()));
  return absl::c_all_of(record.layers, [](const PreparedLayer& layer) {
    return layer.watcher >= 0;
  });
}

// Fails the test unless quantizing gives a model that runs on the batches, and
// returns what it says.
QuantizedModel ExpectQuantizes(Case& given, const QuantizeOptions& options) {
  const ModelGraph untouched = OrThrow(given.model.Clone());
  ModelGraph prepared = OrThrow(PrepareModel(given.model, options));
  NS_EXPECT_OK(VerifyGraph(prepared.graph()));
  EXPECT_EQ(ShortIr(given.model.graph()), ShortIr(untouched.graph()));
  std::vector<Batch> batches = given.batches;
  for (Batch& batch : batches) {
    batch.arguments[0] = batch.arguments[0].toTensor().clone();
  }
  NS_EXPECT_OK(Calibrate(prepared, batches));
  absl::StatusOr<QuantizedModel> converted = ConvertModel(prepared, options);
  if (!converted.ok() && AllLayersMayNotRun(prepared)) {
    return {OrThrow(prepared.Clone()), {}};
  }
  QuantizedModel quantized = OrThrow(std::move(converted));
  NS_EXPECT_OK(VerifyGraph(quantized.model.graph()));
  EXPECT_FALSE(IsPrepared(quantized.model.module()));
  ExpectNeedsLibTorchOnly(quantized.model);
  for (const Batch& batch : given.batches) {
    const at::Tensor in_float = OutputOf(given.model, batch);
    const at::Tensor y = OutputOf(quantized.model, batch);
    EXPECT_EQ(y.sizes(), in_float.sizes());
    EXPECT_EQ(y.scalar_type(), in_float.scalar_type());
    EXPECT_EQ(y.isfinite().all().item<bool>(),
              in_float.isfinite().all().item<bool>());
  }
  return quantized;
}

// The prepared model computes what the float one does, to the bit where no norm
// was folded.
void ExpectPreparedIsFloat(Case& given, const QuantizeOptions& options) {
  ModelGraph prepared = OrThrow(PrepareModel(given.model, options));
  const bool has_norms =
      !NodesOf(given.model.graph(), "aten::batch_norm").empty();
  for (const Batch& batch : given.batches) {
    const at::Tensor in_float = OutputOf(given.model, batch);
    const at::Tensor y = OutputOf(prepared, batch);
    EXPECT_TRUE(has_norms ? y.allclose(in_float, 1e-3, 1e-4)
                          : y.equal(in_float));
  }
}

// In dB; where all is zero, an error of the smallest value counts.
double Sqnr(const at::Tensor& x, const at::Tensor& y) {
  return 20 * std::log10((x.norm().item<double>() + 1e-30) /
                         ((x - y).norm().item<double>() + 1e-30));
}

TEST(RandomModelsTest, NetworksQuantizeAndRun) {
  int64_t layers = 0;
  int64_t stayed_float = 0;
  std::vector<double> sqnr;
  for (int64_t seed = 0; seed < kNetworks; ++seed) {
    SCOPED_TRACE(
        absl::StrCat("network ", seed, "\n", ChainText(RandomChain(seed))));
    Case network = NetworkOf(seed);
    QuantizedModel quantized = ExpectQuantizes(network, OptionsOf(seed));
    layers += static_cast<int64_t>(quantized.report.layers.size());
    stayed_float += static_cast<int64_t>(quantized.report.stayed_float.size());
    if (OptionsOf(seed).observer == ObserverKind::kMovingAverageMinMax) {
      continue;  // What comes behind the first batch is hardly seen.
    }
    for (const Batch& batch : network.batches) {
      sqnr.push_back(Sqnr(OutputOf(network.model, batch),
                          OutputOf(quantized.model, batch)));
    }
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  // Most of what they do has int8 ops, and errors are those of 7 and 8 bits.
  EXPECT_GT(layers, 5 * stayed_float) << stayed_float;
  std::sort(sqnr.begin(), sqnr.end());
  EXPECT_GT(sqnr[0], 8);
  EXPECT_GT(sqnr[sqnr.size() / 2], 33);
}

TEST(RandomModelsTest, PreparedNetworksComputeInFloat) {
  for (int64_t seed = 0; seed < kNetworks; ++seed) {
    SCOPED_TRACE(
        absl::StrCat("network ", seed, "\n", ChainText(RandomChain(seed))));
    Case network = NetworkOf(seed);
    ExpectPreparedIsFloat(network, OptionsOf(seed));
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

// With control flow that depends on data, lists, and ops in place.
TEST(RandomModelsTest, ProgramsQuantizeAndRun) {
  int64_t layers = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(absl::StrCat("program ", seed, "\n", SourceOf(seed)));
    Case program = ProgramOf(seed);
    if (program.batches.empty()) {
      continue;
    }
    QuantizedModel quantized = ExpectQuantizes(program, OptionsOf(seed));
    layers += static_cast<int64_t>(quantized.report.layers.size());
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(layers, kPrograms);
}

TEST(RandomModelsTest, PreparedProgramsComputeInFloat) {
  for (int seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(absl::StrCat("program ", seed, "\n", SourceOf(seed)));
    Case program = ProgramOf(seed);
    if (program.batches.empty()) {
      continue;
    }
    ExpectPreparedIsFloat(program, OptionsOf(seed));
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace ns

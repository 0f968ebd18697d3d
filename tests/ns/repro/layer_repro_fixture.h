// Two small models, and repros of their layers, for tests.
#ifndef TESTS_NS_REPRO_LAYER_REPRO_FIXTURE_H_
#define TESTS_NS_REPRO_LAYER_REPRO_FIXTURE_H_

#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/repro/layer_repro.h"
#include "passes/matching/graph_matcher.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/status.h"

namespace ns {

class LayerReproTest : public PairRunnerTest {
 protected:
  LayerReproTest()
      : a_(Float()),
        b_(Quantized()),
        matches_(OrThrow(MatchSubgraphs(a_, b_))) {}

  const SubgraphMatch& Match(const std::string& name) const {
    return matches_.matches[OrThrow(FindMatchByName(matches_, name))];
  }

  LayerRepro Repro(const std::string& layer,
                   const std::vector<at::Tensor>& inputs) const {
    std::vector<Batch> batches;
    for (const at::Tensor& x : inputs) {
      batches.push_back(BatchOf({x}));
    }
    return OrThrow(MakeLayerRepro(
        a_, b_, Match(layer), BatchReader::FromBatches(std::move(batches))));
  }

  ModelGraph a_;
  ModelGraph b_;
  MatchResult matches_;
};

}  // namespace ns

#endif  // TESTS_NS_REPRO_LAYER_REPRO_FIXTURE_H_

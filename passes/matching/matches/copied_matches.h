// Carries matches over to copies of the matched models.
#ifndef PASSES_MATCHING_MATCHES_COPIED_MATCHES_H_
#define PASSES_MATCHING_MATCHES_COPIED_MATCHES_H_

#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns the same matches in the graphs of `copy_a` and `copy_b`, without
// matching again. `matches` are those of `a` and `b`, which still have the
// graphs that were matched; ModelGraph::Clone made the copies, and no pass has
// changed them since.
MatchResult MatchesOfCopies(const MatchResult& matches, const ModelGraph& a,
                            const ModelGraph& copy_a, const ModelGraph& b,
                            const ModelGraph& copy_b);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHES_COPIED_MATCHES_H_

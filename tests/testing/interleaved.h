// Copies two graphs into one with Interleave, for tests.
#ifndef TESTS_TESTING_INTERLEAVED_H_
#define TESTS_TESTING_INTERLEAVED_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/instrument/pair/interleave.h"
#include "passes/instrument/pair/meeting_plan.h"
#include "tests/testing/named_graph.h"

namespace ns {

// Marks in the host where values come by, with ops whose results are not used:
//   Meet             aten::equal(a, b)
//   apart, A then B  aten::sin(a), aten::cos(b)
//   alone, A then B  aten::sinh(a), aten::cosh(b)
class Marks final : public MeetingListener {
 public:
  explicit Marks(torch::jit::Graph& host) : host_(host) {}

  absl::Status Meet(size_t point, torch::jit::Value* a, torch::jit::Value* b,
                    torch::jit::Node* place) override;
  absl::Status PassBy(size_t point, bool is_b, torch::jit::Value* value,
                      bool apart, torch::jit::Node* place) override;

  // The calls in their order, each with its point: "meet 0", "apart a 1",
  // "alone b 2".
  std::vector<std::string> seen;
  // The point whose Meet returns an error.
  size_t fails_at = 1000;

 private:
  void Mark(const char* op, const std::vector<torch::jit::Value*>& values,
            torch::jit::Node* place);

  torch::jit::Graph& host_;
};

// Two graphs, and `host`, into which Run interleaves them. It takes the inputs
// of A, then those of B, and returns the outputs of A, then those of B.
class Interleaved {
 public:
  // Parses the IR text of both graphs. In each of `pairs`, the value of A that
  // the first name names meets the value of B that the second one names. Throws
  // for text that does not parse and for a name that is not there.
  Interleaved(absl::string_view text_a, absl::string_view text_b,
              const std::vector<std::pair<std::string, std::string>>& pairs);

  // Call it once. Error: that of Interleave, or of VerifyGraph for the host.
  // Call it once. Error: that of Interleave, or of VerifyGraph for the host.
  absl::Status Run();

  NamedGraph a;
  NamedGraph b;
  std::shared_ptr<torch::jit::Graph> host;
  Marks marks;
  std::vector<MeetingPoint> points;
  GraphCopies copies_a;
  GraphCopies copies_b;

 private:
  void AddInputs(const torch::jit::Graph& graph, GraphCopies& copies);
};

// Returns the outputs of `graph` for copies of `inputs`. Throws where it fails.
std::vector<c10::IValue> RunGraph(
    const std::shared_ptr<torch::jit::Graph>& graph,
    const std::vector<c10::IValue>& inputs);

// Fails the test unless the host, which Run has made, returns for the inputs
// `of_a` and `of_b` exactly what each graph returns for its own. All outputs
// must be tensors.
void ExpectSameValues(Interleaved& both, const std::vector<c10::IValue>& of_a,
                      const std::vector<c10::IValue>& of_b);

}  // namespace ns

#endif  // TESTS_TESTING_INTERLEAVED_H_

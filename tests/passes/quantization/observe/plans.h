// Plans of small models, for tests of observer_plan.h.
#ifndef TESTS_PASSES_QUANTIZATION_OBSERVE_PLANS_H_
#define TESTS_PASSES_QUANTIZATION_OBSERVE_PLANS_H_

#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "passes/quantization/observe/observer_plan.h"

namespace ns {

// Options with Int8PerTensorQConfig for all, and with another mapping.
ObserverPlanOptions Everywhere();
ObserverPlanOptions Mapped(const QConfigMapping& mapping);
// Everywhere(), as prepare_fx does it.
ObserverPlanOptions Compat();

// The plan for FloatModel(body). Its pointers to nodes and values are null,
// since the graph is gone.
ObserverPlan PlanOf(const std::vector<std::string>& body,
                    const ObserverPlanOptions& options = Everywhere());

// A model of two modules, a convolution `conv` and a linear `fc`, which is
// called twice, and an add of both calls.
ModelGraph ModelOfModules();

// "linear 0 -> 1": the observers of the inputs and of the output of a layer.
std::vector<std::string> Layers(const ObserverPlan& plan);
// "add: it multiplies its second operand".
std::vector<std::string> StayedFloat(const ObserverPlan& plan);

}  // namespace ns

#endif  // TESTS_PASSES_QUANTIZATION_OBSERVE_PLANS_H_

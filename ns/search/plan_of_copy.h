// Carries a plan for a graph over to a copy of the graph.
#ifndef NS_SEARCH_PLAN_OF_COPY_H_
#define NS_SEARCH_PLAN_OF_COPY_H_

#include "ir/graph/graph_copy.h"
#include "passes/quantization/observe/observer_plan.h"

namespace ns {

// Returns `plan`, which is for the graph that `copy` was made of, for the copy.
ObserverPlan PlanOfCopy(ObserverPlan plan, const GraphCopy& copy);

}  // namespace ns

#endif  // NS_SEARCH_PLAN_OF_COPY_H_

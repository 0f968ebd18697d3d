// Writes data-flow graphs and their layout as JSON, and reads graphs back.
#ifndef NS_REPORT_GRAPH_JSON_H_
#define NS_REPORT_GRAPH_JSON_H_

#include <optional>
#include <string>

#include "nlohmann/json.hpp"
#include "ns/report/graph_layout.h"
#include "ns/report/json_writer.h"
#include "ns/suite/data_flow_graph.h"

namespace ns {

// Writes {"float": G, "quantized": G}, where G is
//
//   {"nodes": [{"id": 0, "fqn": "layer1.0", "name": "layer1.0.add", "op":
//               "quantized::add", "layer": "layer1.0.add"}, ...],
//    "edges": [[0, 1], ...]}
//
// An id is the index of its node; an unmatched one has a "reason" and no
// "layer".
void WriteGraphs(JsonWriter& json, const DataFlowGraphs& graphs);

// Returns the graphs of such an object. Absent when it is none; edges that name
// no node are left out.
std::optional<DataFlowGraphs> ReadGraphs(const nlohmann::json& json);

// Returns {"sizes": ..., "width", "height", "modules": [...], "cells": [...]}
// with the fields of ns/report/graph_layout.h: those of nodes are "float" and
// "quantized", the parent of the root is -1.
std::string LayoutJson(const GraphLayout& layout);

}  // namespace ns

#endif  // NS_REPORT_GRAPH_JSON_H_

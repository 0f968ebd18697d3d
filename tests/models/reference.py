"""Puts together reference.json: what PyTorch says about a pair of models."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

import common
import metrics
import suites
import weights

Entry = Dict[str, Any]

_QUANTIZED_PACKAGES = ('torch.ao.nn.quantized', 'torch.nn.quantized',
                       'torch.ao.nn.intrinsic.quantized',
                       'torch.nn.intrinsic.quantized')


def run(pair: common.ModelPair) -> Entry:
  """Returns all of reference.json but the model's name."""
  errors = []
  if pair.suite == 'fx':
    order = _FxOrder(pair)
    weight_entries = _fx_weights(pair, errors)
  else:
    order = _EagerOrder(pair)
    weight_entries = _eager_weights(pair, order)
  activations = _activations(pair, order, errors)
  result = {'batches': len(pair.batches), 'suite_errors': errors}
  if pair.freeze:
    # The only place where the names that freezing takes away survive.
    result['true_names'] = [entry['fqn'] for entry in activations]
  result['weights'] = weight_entries
  result['activations'] = activations
  result['shadows'] = _shadows(pair, order, errors)
  return result


class _FxOrder:
  """Order of nodes of the quantized graph."""

  def __init__(self, pair: common.ModelPair) -> None:
    self._index = {}
    for node in suites.fx_trace(pair.quantized_model).graph.nodes:
      self._index[node.name] = len(self._index)
      if node.op == 'call_module':
        self._index.setdefault('.' + node.target, self._index[node.name])

  def __call__(self, logged: suites.Logged) -> int:
    return self._index[logged.ref_node_name or '.' + logged.fqn]


class _EagerOrder:
  """Order of first calls of modules; those never called come last."""

  def __init__(self, pair: common.ModelPair) -> None:
    self.paths = suites.call_order(pair.quantized_model, pair.batches)
    for path, _ in pair.quantized_model.named_modules():
      if path not in self.paths:
        self.paths.append(path)

  def __call__(self, logged: suites.Logged) -> int:
    return self.paths.index(logged.fqn)


def _fx_weights(pair: common.ModelPair, errors: List[str]) -> List[Entry]:
  found = _try(errors, 'extract_weights', suites.fx_weights, pair) or {}
  entries = []
  for node in suites.fx_trace(pair.quantized_model).graph.nodes:
    results = found.get(node.name)
    if node.op == 'call_module':
      suite_values = _fx_suite_values(results) if results else []
      entries += _module_weights(
          pair, node.target,
          [(node.name, x, y) for x, y in suite_values])
    elif results:
      (x, y), = _fx_suite_values(results)
      entry = _weight_entry(node.name, node.name, 'weight', x, y)
      entry['fqn'] = results['b']['fqn'] or ''
      entries.append(entry)
  return entries


def _fx_suite_values(
    results: Entry) -> List[Tuple[torch.Tensor, torch.Tensor]]:
  x, y = results['a']['values'][0], results['b']['values'][0]
  return list(zip(x, y)) if isinstance(x, list) else [(x, y)]


def _eager_weights(pair: common.ModelPair, order: _EagerOrder) -> List[Entry]:
  found = suites.eager_weights(pair)
  entries = []
  for path in order.paths:
    keys = [path + '.weight', path + '._packed_params._packed_params']
    # Of each layer of an LSTM the suite keeps the second matrix only.
    layers = [key for key in found
              if key.startswith(path + '._all_weight_values.')]
    values = [(key, found[key]['float'], found[key]['quantized'])
              for key in keys if key in found]
    for key in layers:
      values += [(None, None, None),
                 (key, found[key]['float'], found[key]['quantized'])]
    entries += _module_weights(pair, path, values)
  return entries


def _module_weights(pair: common.ModelPair, path: str,
                    suite_values: List[tuple]) -> List[Entry]:
  """Entries for the weights of one module, first hand.

  `suite_values` are the (key, float, quantized) of the suite in the same
  order, fewer if it misses some.
  """
  if not _has_module(pair.reference_float, path):
    return []
  compared = weights.compare_modules(
      pair.reference_float.get_submodule(path),
      pair.quantized_model.get_submodule(path))
  entries = []
  for index, (parameter, x, y) in enumerate(compared):
    key, suite_x, suite_y = (
        suite_values[index] if index < len(suite_values) else (None,) * 3)
    entry = _weight_entry(path, key, parameter, x, y)
    if key is not None:
      suite_sqnr = metrics.pool([(suite_x, suite_y)]).to_dict()['sqnr_db']
      if suite_sqnr != entry['sqnr_db']:
        entry['raw_sqnr_db'] = suite_sqnr
    entries.append(entry)
  return entries


def _weight_entry(name: str, key: Optional[str], parameter: str,
                  x: torch.Tensor, y: torch.Tensor) -> Entry:
  return {'name': name, 'ref_key': key, 'param': parameter,
          'shape': list(x.shape), **metrics.pool([(x, y)]).to_dict()}


def _activations(pair: common.ModelPair, order: Callable[..., int],
                 errors: List[str]) -> List[Entry]:
  run_suite = {'fx': suites.fx_activations,
               'eager': suites.eager_activations}.get(pair.suite)
  raw, logged = {}, []
  if run_suite:
    logged = _try(errors, 'activations', run_suite, pair, True) or []
    for as_is in _try(errors, 'raw activations', run_suite, pair, False) or []:
      raw[as_is.key] = as_is
  seen = {entry.fqn for entry in logged}
  logged += suites.hook_activations(
      pair, lambda path, module: path not in seen and _is_layer(module))
  entries = []
  for item in sorted(logged, key=order):
    entries += _activation_entries(item, raw.get(item.key), pair)
  return entries


def _shadows(pair: common.ModelPair, order: Callable[..., int],
             errors: List[str]) -> List[Entry]:
  """What the FX suite shadows; the eager one is held to in tests/ns/eager."""
  if pair.suite != 'fx':
    return []
  logged = _try(errors, 'shadows', suites.fx_shadows, pair) or []
  entries = []
  for item in sorted(logged, key=order):
    entries += _activation_entries(item, None, pair)
  return entries


def _is_layer(module: nn.Module) -> bool:
  if type(module).__module__.startswith(_QUANTIZED_PACKAGES):
    return not isinstance(module, torch.ao.nn.quantized.DeQuantize)
  return False


def _activation_entries(logged: suites.Logged, raw: Optional[suites.Logged],
                        pair: common.ModelPair) -> List[Entry]:
  """One entry per call, but one for all trips of a loop."""
  if logged.fqn in pair.looped:
    return [_loop_entry(logged, raw)]
  entries = []
  for index in range(max(map(len, logged.calls), default=0)):
    by_batch = _nth_calls(logged, index)
    if not _is_comparable(by_batch):
      continue
    entry = _activation_entry(logged, by_batch)
    entry['call'] = index
    if raw is not None:
      sums = metrics.pool(_flatten(_nth_calls(raw, index)))
      entry['raw_sqnr_db'] = sums.to_dict()['sqnr_db']
    entries.append(entry)
  return entries


def _loop_entry(logged: suites.Logged,
                raw: Optional[suites.Logged]) -> Entry:
  entry = _activation_entry(logged, logged.calls)
  trips = max(map(len, logged.calls), default=0)
  entry['call'] = 0
  entry['trips'] = [
      metrics.pool(_flatten(_nth_calls(logged, trip))).to_dict()['sqnr_db']
      for trip in range(trips)]
  if raw is not None:
    entry['raw_sqnr_db'] = metrics.pool(
        _flatten(raw.calls)).to_dict()['sqnr_db']
  return entry


def _activation_entry(logged: suites.Logged,
                      by_batch: List[List[suites.TensorPair]]) -> Entry:
  pairs = _flatten(by_batch)
  return {
      'ref_key': logged.key, 'fqn': logged.fqn, 'source': logged.source,
      'ref_node_name': logged.ref_node_name,
      'prev_node_name': logged.prev_node_name,
      'float_type': logged.float_type, 'quantized_type': logged.quantized_type,
      'shape': list(pairs[0][0].shape),
      **metrics.pool(pairs).to_dict(),
      'batch_sqnr_db': [metrics.pool(batch).to_dict()['sqnr_db']
                        for batch in by_batch],
      'raw_sqnr_db': None,
  }


def _nth_calls(logged: suites.Logged,
               index: int) -> List[List[suites.TensorPair]]:
  return [calls[index:index + 1] for calls in logged.calls]


def _flatten(
    by_batch: List[List[suites.TensorPair]]) -> List[suites.TensorPair]:
  return [pair for batch in by_batch for pair in batch]


def _is_comparable(by_batch: List[List[suites.TensorPair]]) -> bool:
  return all(
      isinstance(tensor, torch.Tensor)
      and (tensor.is_quantized or tensor.is_floating_point())
      for pair in _flatten(by_batch) for tensor in pair)


def _has_module(model: nn.Module, path: str) -> bool:
  try:
    model.get_submodule(path)
  except AttributeError:
    return False
  return True


def _try(errors: List[str], what: str, function: Callable[..., Any],
         *args: Any) -> Any:
  """Notes what the reference suites refuse instead of failing with them."""
  try:
    return function(*args)
  except Exception as error:  # Suites raise whatever they happen to hit.
    text = str(error).strip() or 'no message'
    errors.append(f'{what}: {type(error).__name__}: {text.splitlines()[0]}')
    return None

"""Holds what `ns quantize` reports against the ops of the file that it wrote."""

import collections
import json
import os
import re
import tempfile
import zipfile

# By the name of the float op: the quantized ops that a layer of it becomes.
_QUANTIZED = {
    r'_?conv\w*': r'conv\w*',
    r'linear': r'linear\w*',
    r'lstm|gru': r'quantized_(?:lstm|gru)',
    r'lstm_cell|gru_cell|rnn_\w+_cell': r'quantized_\w+_cell_dynamic',
    r'embedding': r'embedding_(?:byte|4bit)',
    r'add': r'add\w*',
    r'mul': r'mul\w*',
    r'matmul|bmm|mm': r'matmul',
    r'cat': r'cat\w*',
    r'layer_norm': r'layer_norm',
    r'batch_norm': r'batch_norm\w*',
    r'hardswish': r'hardswish',
    r'leaky_relu': r'leaky_relu',
    r'elu': r'elu',
}
# Of models that hold no int8 ops: float ops between quantizes, and modules.
_OTHERS = ('--reference', '--eager')


def is_checked(arguments):
  return (arguments[0] == 'quantize' and not set(_OTHERS) & set(arguments) and
          any(argument.startswith('--out=') for argument in arguments))


def _flag(arguments, name):
  return next((argument.split('=', 1)[1] for argument in arguments
               if argument.startswith(f'--{name}=')), None)


class Report:
  """Where a run of `ns quantize` leaves its JSON; asks for one if need be."""

  def __init__(self, arguments, cwd):
    self.path = _flag(arguments, 'json')
    self.cwd = cwd
    self.out = os.path.join(cwd, _flag(arguments, 'out'))
    self.flags = []
    if self.path is None:
      self.folder = tempfile.TemporaryDirectory()
      self.path = os.path.join(self.folder.name, 'report.json')
      self.flags = [f'--json={self.path}']

  def read(self, output):
    if self.path == '-':
      return json.loads(output)
    with open(os.path.join(self.cwd, self.path), encoding='utf-8') as file:
      return json.load(file)


def ops_in(path):
  """How often the code of a saved model calls each quantized op."""
  calls = collections.Counter()
  with zipfile.ZipFile(path) as archive:
    for name in archive.namelist():
      if name.endswith('.py'):
        code = archive.read(name).decode()
        calls.update(re.findall(r'\bops\.quantized\.(\w+)\(', code))
        calls.update(re.findall(r'\btorch\.(quantized_\w+)\(', code))
  return calls


def runs_in_int8(layer):
  """Whether a layer of the report has integer values, not only rounded
  weights."""
  scheme = layer.get('weight', {}).get('scheme')
  is_embedding = 'embedding' in layer['op']
  return scheme != 'float16' and (
      'output' in layer or 'dynamic' in layer['qconfig'] or is_embedding)


def differences(report, calls):
  """A line for each kind of op of which the report and the file have another
  number."""
  lines = []
  for op, quantized in _QUANTIZED.items():
    layers = [layer['name'] for layer in report['layers']
              if re.fullmatch(f'aten::(?:{op})', layer['op']) and
              runs_in_int8(layer)]
    count = sum(number for name, number in calls.items()
                if re.fullmatch(quantized, name))
    if len(layers) != count:
      lines.append(f'{op}: {len(layers)} layers ({layers}), {count} ops')
  return lines

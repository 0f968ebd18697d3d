"""Runs `ns quantize` for the tests: base class and helpers."""

import json
import os
import pickletools
import re
import subprocess
import sys
import zipfile

import torch

import cli

torch.backends.quantized.engine = 'onednn'
torch.set_num_threads(1)

NET = ('quantize', '--float=net_float.pt', '--inputs=images.pt', '--threads=1')

with open('/proc/cpuinfo', encoding='utf-8') as cpuinfo:
  # Without it, sums of PyTorch's oneDNN saturate where activations and weights
  # have 8 bits.
  HAS_VNNI = 'vnni' in cpuinfo.read()


def load(name):
  """A file of CASES."""
  return torch.load(os.path.join(cli.CASES, name))


def run(model, batches):
  with torch.no_grad():
    return [model(x) for x in batches]


def sqnr(outputs, references):
  """In dB, over all batches."""
  signal = sum(y.double().square().sum() for y in references)
  noise = sum((y.double() - x.double()).square().sum()
              for x, y in zip(outputs, references))
  return 10 * float(torch.log10(signal / noise))


def unmangled(text):
  return re.sub(r'___torch_mangle_\d+\.?', '', text)


def content_of(path):
  """All that a saved model holds, but for source lines, for what says how it was
  made, and for the numbers that LibTorch puts into the names of classes: they
  count the copies of the model that were made before it was saved, which are
  fewer in a process that begins with a prepared one."""
  records = []
  with zipfile.ZipFile(path) as archive:
    for name in archive.namelist():
      data = archive.read(name)
      if name.endswith(('.debug_pkl', 'extra/ns_provenance.json')):
        continue
      if name.endswith('.py'):
        data = unmangled(data.decode())
      elif name.endswith('.pkl'):
        data = [(op.name, unmangled(arg) if isinstance(arg, str) else arg)
                for op, arg, _ in pickletools.genops(data)]
      records.append((unmangled(name), data))
  return records


def records_of(path):
  """The records of a saved model, but for what says how it was made."""
  with zipfile.ZipFile(path) as archive:
    records = {name.split('/', 1)[1]: archive.read(name)
               for name in archive.namelist()}
  records.pop('extra/ns_provenance.json', None)
  return records


class QuantizeTest(cli.CliTest):

  def out(self, name='q.pt'):
    return f'--out={self.path(name)}'

  def quantize(self, *flags, command=NET):
    return self.succeed(*command, self.out(), *flags)

  def report(self, *flags, command=NET):
    return self.json(*command, self.out(), *flags)

  def by_name(self, *flags, command=NET):
    return {layer['name']: layer
            for layer in self.report(*flags, command=command)['layers']}

  def outputs(self, inputs, name='q.pt', engine='onednn', isa=None):
    """Of the result, in a PyTorch that knows nothing of ns, with oneDNN's
    instructions up to `isa`, as "AVX2". It is a process of its own: oneDNN
    takes two linear layers of one shape for one when both have the same ratio
    of scales, and forgets that zero points differ."""
    torch.save(inputs, self.path('run_inputs.pt'))
    script = (
        'import sys, torch\n'
        'model, inputs, outputs, torch.backends.quantized.engine = sys.argv[1:]'
        '\n'
        'torch.set_num_threads(1)\n'
        'module = torch.jit.load(model)\n'
        'with torch.no_grad():\n'
        '  torch.save([module(x) for x in torch.load(inputs)], outputs)\n')
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', script, self.path(name),
         self.path('run_inputs.pt'), self.path('run_outputs.pt'), engine],
        env=cli.environment(ONEDNN_MAX_CPU_ISA=isa) if isa else
        cli.environment(), capture_output=True, timeout=cli.TIMEOUT,
        check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    outputs = torch.load(self.path('run_outputs.pt'))
    os.remove(self.path('run_inputs.pt'))
    os.remove(self.path('run_outputs.pt'))
    return outputs

  def error_db(self, model, inputs, **options):
    """The SQNR of the result's outputs against those of a float model."""
    return sqnr(self.outputs(inputs, **options), run(model, inputs))

  def graph(self, name='q.pt'):
    return str(torch.jit.load(self.path(name)).graph)

  def read(self, name):
    with open(self.path(name), 'rb') as file:
      return file.read()

  def assert_same_model(self, a, b, message=None):
    self.assertTrue(content_of(self.path(a)) == content_of(self.path(b)),
                    message)

  def write(self, name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    with open(self.path(name), 'w', encoding='utf-8') as file:
      file.write(text)
    return self.path(name)

  def mapping(self, **sections):
    return self.write('qconfig.json', {'schema': 'ns.qconfig/1', **sections})

  def files(self):
    return sorted(os.listdir(self.folder))

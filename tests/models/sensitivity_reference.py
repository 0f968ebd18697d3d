#!/usr/bin/python3
"""Writes a float model, inputs, and what PyTorch's observers make of each layer.

  /usr/bin/python3 tests/models/sensitivity_reference.py OUT_DIR

reference.json has, by layer and candidate, the SQNR in dB over all batches of
the layer on the float model's own values, with observers and fake quantization
of torch.ao.quantization; "kernels" has that of real int8 kernels instead.
"""

import json
import os
import sys

sys.dont_write_bytecode = True

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.nn import functional as F

EPS = 1e-5


class Net(nn.Module):
  """Layers with every kind of fusion, a residual and a norm."""

  def __init__(self):
    super().__init__()
    self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
    self.bn1 = nn.BatchNorm2d(8)
    self.conv2 = nn.Conv2d(8, 8, 3, padding=1, groups=4)
    self.bn2 = nn.BatchNorm2d(8)
    self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
    self.fc1 = nn.Linear(8, 16)
    self.fc2 = nn.Linear(16, 10)
    self.act = nn.Hardswish()
    self.norm = nn.LayerNorm(10)

  def forward(self, x):
    y = torch.relu(self.bn1(self.conv1(x)))
    z = self.bn2(self.conv2(y))
    y = torch.relu(y + z)
    y = F.avg_pool2d(self.up(y), 4)
    y = torch.flatten(y.mean([2, 3]), 1)
    y = self.act(self.fc2(torch.relu(self.fc1(y))))
    return self.norm(y)


def folded(layer, bn):
  """Weight and bias of `layer` with `bn` folded in."""
  scale = bn.weight / torch.sqrt(bn.running_var + EPS)
  bias = torch.zeros(len(scale)) if layer.bias is None else layer.bias
  return (layer.weight * scale.reshape(-1, 1, 1, 1),
          (bias - bn.running_mean) * scale + bn.bias)


def layers(net):
  """name -> (function of inputs and weight, weight, keeps input qparams)."""
  w1, b1 = folded(net.conv1, net.bn1)
  w2, b2 = folded(net.conv2, net.bn2)
  return {
      'conv1': (lambda x, w: F.relu(F.conv2d(x, w, b1, padding=1)), w1, False),
      'conv2': (lambda x, w: F.conv2d(x, w, b2, padding=1, groups=4), w2,
                False),
      'add': (lambda x, y, w: F.relu(x + y), None, False),
      'up': (lambda x, w: F.conv_transpose2d(x, w, net.up.bias, stride=2),
             net.up.weight, False),
      'avg_pool2d': (lambda x, w: F.avg_pool2d(x, 4), None, True),
      'mean': (lambda x, w: x.mean([2, 3]), None, True),
      'fc1': (lambda x, w: F.relu(F.linear(x, w, net.fc1.bias)),
              net.fc1.weight, False),
      'fc2': (lambda x, w: F.linear(x, w, net.fc2.bias), net.fc2.weight, False),
      'act': (lambda x, w: F.hardswish(x), None, False),
      'norm': (lambda x, w: F.layer_norm(x, [10], w, net.norm.bias),
               net.norm.weight, False),
  }


def layer_inputs(net, x):
  """The inputs of each layer in the float model."""
  inputs = {'conv1': (x,)}
  y = torch.relu(net.bn1(net.conv1(x)))
  inputs['conv2'] = (y,)
  z = net.bn2(net.conv2(y))
  inputs['add'] = (y, z)
  y = torch.relu(y + z)
  inputs['up'] = (y,)
  y = net.up(y)
  inputs['avg_pool2d'] = (y,)
  y = F.avg_pool2d(y, 4)
  inputs['mean'] = (y,)
  y = y.mean([2, 3])
  inputs['fc1'] = (y,)
  y = torch.relu(net.fc1(y))
  inputs['fc2'] = (y,)
  y = net.fc2(y)
  inputs['act'] = (y,)
  inputs['norm'] = (net.act(y),)
  return inputs


def activation_observer():
  return tq.MinMaxObserver(dtype=torch.quint8, quant_min=0, quant_max=255)


def weight_observer(bits, per_channel):
  low, high = -2**(bits - 1), 2**(bits - 1) - 1
  if per_channel:
    return tq.PerChannelMinMaxObserver(
        ch_axis=0, dtype=torch.qint8, qscheme=torch.per_channel_symmetric,
        quant_min=low, quant_max=high)
  return tq.MinMaxObserver(dtype=torch.qint8, quant_min=low, quant_max=high,
                           qscheme=torch.per_tensor_symmetric)


def fake_quantize(tensor, observer):
  """`tensor` quantized with what `observer` saw, and dequantized."""
  scale, zero_point = observer.calculate_qparams()
  if observer.qscheme == torch.per_channel_symmetric:
    return torch.fake_quantize_per_channel_affine(
        tensor, scale, zero_point.to(torch.int32), 0, observer.quant_min,
        observer.quant_max)
  return torch.fake_quantize_per_tensor_affine(
      tensor, float(scale), int(zero_point), observer.quant_min,
      observer.quant_max)


def observed(tensors):
  observer = activation_observer()
  for tensor in tensors:
    observer(tensor)
  return observer


def quantized_weight(weight, bits, per_channel):
  if weight is None or weight.dim() < 2:  # Norms keep theirs.
    return weight
  observer = weight_observer(bits, per_channel)
  observer(weight)
  return fake_quantize(weight, observer)


def half(tensor):
  return None if tensor is None else tensor.half().float()


def static(layer, batches, per_channel):
  function, weight, keeps_qparams = layer
  on_inputs = [observed(tensors) for tensors in zip(*batches)]
  on_output = observed(function(*batch, weight) for batch in batches)
  if keeps_qparams:
    on_output = on_inputs[0]
  weight = quantized_weight(weight, 8, per_channel)
  return [
      fake_quantize(
          function(*map(fake_quantize, batch, on_inputs), weight), on_output)
      for batch in batches
  ]


def dynamic(layer, batches):
  function, weight, _ = layer
  weight = quantized_weight(weight, 8, False)
  return [
      function(*(fake_quantize(x, observed([x])) for x in batch), weight)
      for batch in batches
  ]


def fp16(layer, batches):
  function, weight, _ = layer
  return [half(function(*map(half, batch), half(weight))) for batch in batches]


def int4(layer, batches):
  function, weight, _ = layer
  weight = quantized_weight(weight, 4, True)
  return [function(*batch, weight) for batch in batches]


def sqnr(expected, actual):
  x = torch.cat([t.flatten() for t in expected]).double()
  y = torch.cat([t.flatten() for t in actual]).double()
  return float(20 * torch.log10(x.norm() / (x - y).norm()))


class Alone(nn.Module):
  """One layer between a quantize and a dequantize, for real kernels."""

  def __init__(self, *modules):
    super().__init__()
    self.quant = tq.QuantStub()
    self.layer = nn.Sequential(*modules)
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    return self.dequant(self.layer(self.quant(x)))


def kernel(modules, batches):
  """Outputs of the int8 kernels that converting `modules` gives."""
  model = Alone(*modules).eval()
  if len(modules) > 1:
    model = tq.fuse_modules(
        model, [[f'layer.{i}' for i in range(len(modules))]])
  model.qconfig = tq.QConfig(
      activation=activation_observer,
      weight=lambda: weight_observer(8, False))
  prepared = tq.prepare(model)
  for (x,) in batches:
    prepared(x)
  converted = tq.convert(prepared)
  return [converted(x) for (x,) in batches]


def main(out):
  torch.manual_seed(7)
  torch.set_num_threads(1)
  torch.backends.quantized.engine = 'qnnpack'
  net = Net().eval()
  with torch.no_grad():
    for bn in (net.bn1, net.bn2):
      bn.weight.uniform_(0.5, 1.5)
      bn.bias.normal_()
      bn.running_mean.normal_()
      bn.running_var.uniform_(0.5, 2)
    net.norm.weight.uniform_(0.5, 1.5)
    inputs = [torch.randn(4, 3, 16, 16) for _ in range(3)]
    by_layer = {}
    for x in inputs:
      for name, tensors in layer_inputs(net, x).items():
        by_layer.setdefault(name, []).append(tensors)
    reference = {}
    for name, layer in layers(net).items():
      batches = by_layer[name]
      expected = [layer[0](*batch, layer[1]) for batch in batches]
      candidates = {
          'int8 per tensor': static(layer, batches, False),
          'int8 per channel': static(layer, batches, True),
          'dynamic': dynamic(layer, batches),
          'fp16': fp16(layer, batches),
          'int4 weights': int4(layer, batches),
      }
      reference[name] = {
          candidate: sqnr(expected, actual)
          for candidate, actual in candidates.items()
          if candidate not in NOT_TRIED.get(name, ())
      }
    kernels = {}
    for name, modules in {
        'conv1': (net.conv1, net.bn1, nn.ReLU()),
        'conv2': (net.conv2, net.bn2),
        'fc1': (net.fc1, nn.ReLU()),
        'fc2': (net.fc2,),
    }.items():
      batches = by_layer[name]
      layer = layers(net)[name]
      kernels[name] = sqnr([layer[0](*batch, layer[1]) for batch in batches],
                           kernel(modules, batches))
  os.makedirs(out, exist_ok=True)
  torch.jit.script(net).save(os.path.join(out, 'float.pt'))
  torch.save(inputs, os.path.join(out, 'inputs.pt'))
  with open(os.path.join(out, 'reference.json'), 'w') as file:
    json.dump({'layers': reference, 'kernels': kernels}, file, indent=1)


WITHOUT_WEIGHT = ('dynamic', 'int4 weights')
NOT_TRIED = {
    'up': ('int8 per channel', 'int4 weights'),
    'add': WITHOUT_WEIGHT,
    'avg_pool2d': WITHOUT_WEIGHT,
    'mean': WITHOUT_WEIGHT,
    'act': WITHOUT_WEIGHT,
    'norm': WITHOUT_WEIGHT,
}

if __name__ == '__main__':
  main(sys.argv[1])

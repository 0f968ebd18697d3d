#!/usr/bin/python3
"""Writes a float and a quantized TorchScript model and what PyTorch says of it.

  /usr/bin/python3 tests/models/make_model.py --model=resnet18_fx --out=DIR
"""

import argparse
import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import json
import os
import warnings

warnings.filterwarnings('ignore')

import torch

import common
import layers
import reference
import sequence
import small
import vision

MODELS = {**vision.MODELS, **sequence.MODELS, **small.MODELS, **layers.MODELS}
SEED = 20221213


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--model', choices=sorted(MODELS), metavar='NAME')
  parser.add_argument('--out', metavar='DIR')
  parser.add_argument('--list', action='store_true', help='print the names')
  args = parser.parse_args()
  if args.list:
    print('\n'.join(MODELS))
    return
  if not args.model or not args.out:
    parser.error('--model and --out are required')
  set_up_torch()
  write(args.model, MODELS[args.model](), args.out)


def set_up_torch() -> None:
  # One thread: sums in float then have one order, and results one value.
  torch.set_num_threads(1)
  torch.backends.quantized.engine = common.ENGINE
  torch.manual_seed(SEED)


def write(name: str, pair: common.ModelPair, out: str) -> None:
  """Writes the six files of a model."""
  os.makedirs(out, exist_ok=True)
  results = {'model': name, 'suite': pair.suite, 'traced': pair.traceable}
  results.update(reference.run(pair))
  with open(os.path.join(out, 'reference.json'), 'w') as file:
    json.dump(results, file, indent=1, allow_nan=False)
  torch.save(pair.batches, os.path.join(out, 'inputs.pt'))
  for stem, model in (('float', pair.float_model),
                      ('quantized', pair.quantized_model)):
    scripted = finish(torch.jit.script(model), pair)
    scripted.save(os.path.join(out, stem + '.pt'))
    # The build expects the file of every model; see README.md.
    traced = finish(trace(model, pair), pair) if pair.traceable else scripted
    traced.save(os.path.join(out, stem + '_traced.pt'))


def finish(module: torch.jit.ScriptModule,
           pair: common.ModelPair) -> torch.jit.ScriptModule:
  return torch.jit.freeze(module) if pair.freeze else module


def trace(model: torch.nn.Module,
          pair: common.ModelPair) -> torch.jit.ScriptModule:
  # Not strict: models may return a dict.
  return torch.jit.trace(
      model, common.positional(pair.batches[0]), check_trace=False,
      strict=False)


if __name__ == '__main__':
  main()

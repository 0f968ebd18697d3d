"""Runs a module in a process of its own.

Usage: run_logged.py MODULE INPUTS OUT SAVE OPS: loads the op library OPS ('' is
none), runs MODULE on INPUTS, saves it to SAVE ('' is nowhere), and writes to
OUT a dict of its outputs, its loggers' values and descriptions by attribute.
"""

import sys

import torch


def main():
  module_path, inputs_path, out_path, save_path, ops = sys.argv[1:]
  if ops:
    torch.ops.load_library(ops)
  torch.backends.quantized.engine = 'onednn'
  module = torch.jit.load(module_path)
  outputs = []
  with torch.no_grad():
    for batch in torch.load(inputs_path) if inputs_path else []:
      outputs.append(module(batch))
  stats, infos = {}, {}
  index = 0
  while hasattr(module, f'ns_logger_{index}'):
    name = f'ns_logger_{index}'
    stats[name] = getattr(module, name).get_stats()
    infos[name] = dict(getattr(module, name + '_info'))
    index += 1
  if save_path:
    torch.jit.save(module, save_path)
  torch.save({'outputs': outputs, 'stats': stats, 'infos': infos}, out_path)


if __name__ == '__main__':
  main()

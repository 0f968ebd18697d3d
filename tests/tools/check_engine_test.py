"""ns check-engine: ops that LibTorch computes wrongly."""

import json
import os
import re
import subprocess
import unittest

import cli


class CheckEngineTest(cli.CliTest):

  def check(self, *flags):
    """The status, the JSON and standard error of a quick check."""
    process = cli.run('check-engine', '--quick', '--json=-', *flags)
    return process.returncode, json.loads(process.stdout), (
        process.stderr.decode())

  def test_kernels_of_ns_have_no_fault(self):
    status, found, error = self.check('--engine=ns')
    self.assertEqual(error, '')
    self.assertEqual(found['faults'], [])
    self.assertEqual(status, 0)
    self.assertEqual(found['schema'], 'ns.engine-check/1')
    self.assertGreater(found['cases'], 100)

  def test_printed_programs_show_the_faults(self):
    status, found, error = self.check('--engine=qnnpack')
    self.assertEqual(status, 1)
    self.assertIn('aten::hardtanh', error)
    # Other faults of qnnpack depend on what is in memory.
    wrong = [fault for fault in found['faults']
             if 'channels-last' in fault['traits']]
    self.assertIn('aten::hardtanh', [fault['op'] for fault in wrong])
    for fault in wrong:
      program = self.path('program.py')
      with open(program, 'w', encoding='utf-8') as file:
        file.write(fault['reproduction'])
      output = subprocess.run(
          ['/usr/bin/python3', '-W', 'ignore', program], check=True,
          stdout=subprocess.PIPE, env=dict(os.environ)).stdout.decode()
      steps = float(re.search('at most: (.*)', output)[1])
      self.assertAlmostEqual(steps, fault['steps'], msg=fault['op'])
      self.assertGreater(steps, 1)

  def test_table(self):
    process = cli.run('check-engine', '--quick', '--engine=qnnpack')
    table = process.stdout.decode()
    self.assertRegex(table, r'^qnnpack, LibTorch [0-9.]+, \w+, \d+ threads: ')
    self.assertRegex(table, r'\naten::hardtanh +wrong +1 of 3 ')
    self.assertIn("\ntorch.backends.quantized.engine = 'qnnpack'\n", table)

  def test_unknown_engine(self):
    self.fail_with(2, 'check-engine', '--engine=cuda', names=['cuda', 'qnnpack'])


if __name__ == '__main__':
  unittest.main()

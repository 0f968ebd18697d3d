"""The recipes of tools/cluster, run as their engines would run them."""

import os
import re
import shutil
import subprocess
import unittest

import torch

import cli

CLUSTER = os.path.join('tools', 'cluster')


def read(name):
  with open(os.path.join(CLUSTER, name), encoding='utf-8') as file:
    return file.read()


def block_with(text, word):
  """The block of commands of a page that has `word`."""
  blocks = re.findall(r'```\n(.*?)```', text, re.DOTALL)
  [block] = [b for b in blocks if word in b]
  return block


class ClusterTest(cli.CliTest):
  """A folder with the files that the recipes name, and ns in the PATH."""

  def setUp(self):
    super().setUp()
    self.recipes = os.path.abspath(CLUSTER)
    for name in ('float', 'quantized'):
      shutil.copy(os.path.join(cli.CASES, f'net_{name}.pt'),
                  self.path(f'{name}.pt'))
    images = torch.load(os.path.join(cli.CASES, 'images.pt'))
    torch.save([torch.randn(2, *images[0].shape[1:]) for _ in range(5)],
               self.path('inputs.pt'))
    os.mkdir(self.path('bin'))
    os.symlink(cli.NS, self.path('bin/ns'))

  def environment(self, **changes):
    path = self.path('bin') + ':' + os.environ.get('PATH', '/usr/bin:/bin')
    env = cli.environment(PATH=path, **changes)
    return {k: v for k, v in env.items() if k in changes or not re.search(
        'SLURM|RANK|JOB_COMPLETION|PMI_|OMPI_', k)}

  def shell(self, *command, **changes):
    process = subprocess.run(command, cwd=self.folder,
                             env=self.environment(**changes), check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=cli.TIMEOUT)
    self.assertEqual(process.returncode, 0, process.stdout.decode())

  def expect_merged(self, threads, json='merged.json'):
    """The merged report is that of one process."""
    self.succeed('compare', '--float=float.pt', '--quantized=quantized.pt',
                 '--inputs=inputs.pt', f'--threads={threads}',
                 '--json=one.json', cwd=self.folder)
    with open(self.path('one.json'), encoding='utf-8') as one:
      with open(self.path(json), encoding='utf-8') as merged:
        self.assertEqual(one.read(), merged.read())

  def test_slurm_array_that_starts_at_five(self):
    for task in (5, 8, 11):
      self.shell('bash', os.path.join(self.recipes, 'compare.sbatch'),
                 '--float=float.pt', '--quantized=quantized.pt',
                 '--inputs=inputs.pt', SLURM_ARRAY_TASK_ID=str(task),
                 SLURM_ARRAY_TASK_MIN='5', SLURM_ARRAY_TASK_STEP='3',
                 SLURM_ARRAY_TASK_COUNT='3', SLURM_CPUS_PER_TASK='1',
                 SLURM_PROCID='0', SLURM_NTASKS='1')
    self.shell('bash', os.path.join(self.recipes, 'merge.sbatch'),
               '--json=merged.json')
    self.expect_merged(threads=1)

  def test_slurm_scripts_have_their_options_before_commands(self):
    for name in ('compare.sbatch', 'merge.sbatch'):
      lines = read(name).splitlines()
      options = [i for i, line in enumerate(lines)
                 if line.startswith('#SBATCH')]
      commands = [i for i, line in enumerate(lines)
                  if line and not line.startswith('#')]
      self.assertTrue(options)
      self.assertLess(max(options), min(commands), name)

  def test_kubernetes_job(self):
    text = read('compare-job.yaml')
    count = int(re.search(r'completions: (\d+)', text).group(1))
    self.assertIn(f'parallelism: {count}\n', text)
    self.assertIn('completionMode: Indexed\n', text)
    self.assertIn(f'--shard=auto/{count}\n', text)
    command = re.search(r'- >-\n((?: {14}.*\n)+)', text).group(1)
    for index in range(count):
      self.shell('sh', '-c', ' '.join(command.split()),
                 JOB_COMPLETION_INDEX=str(index))
    self.shell('sh', '-c', 'ns merge shards/shard-*.ns --json=merged.json')
    self.expect_merged(threads=4)

  def test_xargs_line(self):
    self.shell('bash', '-c', block_with(read('README.md'), 'xargs'))
    self.expect_merged(threads=2)

  @unittest.skipUnless(shutil.which('torchrun'), 'there is no torchrun')
  def test_torchrun_line(self):
    self.shell('bash', '-c', block_with(read('README.md'), 'torchrun'))
    self.shell('sh', '-c', 'ns merge shards/shard-*.ns --json=merged.json')
    self.expect_merged(threads=1)


if __name__ == '__main__':
  unittest.main()

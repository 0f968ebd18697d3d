"""`ns compare --shard` in several processes, and `ns merge`."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import torch

import cli

BATCHES = 7
RUN = (*cli.COMPARE, '--engine=onednn', '--threads=1')
# What a shard computes beside the default.
EVERYTHING = ('--parts', '--histograms', '--outliers', '--per-channel',
              '--what=weights,activations,shadows,kernel')
REPORTS = {'json': 'json', 'csv': 'csv', 'junit': 'xml'}
LIMITS = ('--fail-below=3', '--fail-below-output=3', '--max-clip=60%')


class Mean(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    return float((x - y).abs().mean() / 3)


class ShardCase(cli.CliTest):

  def setUp(self):
    super().setUp()
    images = torch.load(os.path.join(cli.CASES, 'images.pt'))
    shape = images[0].shape[1:]
    # Batches of different size and spread: sums round in every order.
    torch.save([torch.randn(1 + i % 3, *shape) * (1 + i)
                for i in range(BATCHES)], self.path('inputs.pt'))
    torch.save([torch.randint(0, 3, (1 + i % 3,)) for i in range(BATCHES)],
               self.path('labels.pt'))
    torch.jit.script(Mean()).save(self.path('mean.pt'))
    self.run_flags = (*RUN, f'--inputs={self.path("inputs.pt")}')

  def shards(self, count, *flags, name='s'):
    """Runs all shards; returns their paths."""
    paths = []
    for i in range(count):
      paths.append(self.path(f'{name}-{i}.shard'))
      self.succeed(*self.run_flags, *flags, f'--shard={i}/{count}',
                   f'--save-shard={paths[-1]}')
    return paths

  def reports(self, *arguments, name, reports=None):
    """The table and all files that a run writes."""
    reports = reports or REPORTS
    paths = {kind: self.path(f'{name}.{end}') for kind, end in reports.items()}
    table, _ = self.succeed(
        *arguments, *LIMITS, *(f'--{k}={p}' for k, p in paths.items()))
    contents = {'table': table}
    for kind, path in paths.items():
      with open(path, 'rb') as file:
        contents[kind] = file.read()
    return contents

  def expect_equal(self, one, merged):
    for kind, content in one.items():
      self.assertEqual(content, merged[kind], kind)


class MergeTest(ShardCase):

  def test_any_number_and_order_of_shards_gives_the_bytes_of_one(self):
    flags = (*EVERYTHING, f'--labels={self.path("labels.pt")}',
             f'--metric=mean={self.path("mean.pt")}')
    one = self.reports(*self.run_flags, *flags, name='one')
    for count in (2, 8):  # The last one has an empty shard.
      paths = self.shards(count, *flags, name=f'of{count}')
      for order in (paths, paths[::-1]):
        self.expect_equal(one, self.reports('merge', *order, name='merged'))

  def test_html_report_has_the_bytes_of_one(self):
    reports = {'html': 'html', 'json': 'json'}
    one = self.reports(*self.run_flags, name='one', reports=reports)
    paths = self.shards(3, '--html=-', '--json=x.json', '--max-clip=60%')
    self.expect_equal(
        one, self.reports('merge', *paths, name='merged', reports=reports))
    plain = self.shards(2, name='plain')
    self.fail_with(2, 'merge', *plain, '--html=-', names='--html')

  def test_shard_leaves_reports_and_limits_to_merge(self):
    _, error = self.succeed(
        *self.run_flags, '--shard=0/2', f'--save-shard={self.path("a")}',
        f'--json={self.path("a.json")}', '--fail-below=100', '--sort=error')
    self.assertIn('--json --sort --fail-below: are left to ns merge', error)
    self.assertFalse(os.path.exists(self.path('a.json')))

  def test_limits_are_held_by_merge(self):
    paths = self.shards(2)
    process = cli.run('merge', *paths, '--fail-below=100')
    self.assertEqual(process.returncode, 1)
    self.assertIn(b'limit', process.stderr)

  def test_warnings_name_the_batches_of_the_whole_run(self):
    batches = torch.load(self.path('inputs.pt'))
    for i in (6, 1, 4, 3):
      batches[i][0, 0, 0, 0] = float('nan')
    torch.save(batches, self.path('inputs.pt'))
    one, warnings = self.succeed(*self.run_flags)
    merged = self.succeed('merge', *self.shards(3))
    self.assertEqual((one, warnings), merged)
    self.assertIn('batch 1', warnings)


class RefusalTest(ShardCase):

  def test_flags_whose_figures_cannot_be_merged(self):
    shard = ('--shard=0/2', f'--save-shard={self.path("s")}')
    for flag in ('--score=a=b.pt', '--samples=3', '--suggest',
                 '--emulate=fbgemm-avx2', '--inputs-b=images.pt',
                 f'--save-activations={self.folder}', '--what=outputs',
                 '--what=weights'):
      self.fail_with(2, *self.run_flags, *shard, flag,
                     names=flag.split('=')[0])

  def test_shard_flags_need_one_another(self):
    self.fail_with(2, *self.run_flags, '--shard=0/2', names='--save-shard')
    self.fail_with(2, *self.run_flags, '--save-shard=a', names='--shard')
    self.fail_with(2, *self.run_flags, '--shard=0/2', '--save-shard=a',
                   '--save-every=3', names='--resume')
    self.fail_with(2, *self.run_flags, '--shard=2/2', '--save-shard=a',
                   names='numbered from 0 to 1')
    self.fail_with(2, *self.run_flags, '--shard=auto', '--save-shard=a',
                   names=['RANK', 'SLURM_ARRAY_TASK_ID'],
                   env={k: v for k, v in cli.environment().items()
                        if 'RANK' not in k and 'SLURM' not in k})
    self.fail_with(2, 'merge', names='ns merge SHARD')

  def test_shards_of_other_runs_are_named(self):
    first, second = self.shards(2)
    other = self.path('other')
    shard = ('--shard=1/2', f'--save-shard={other}')
    self.succeed(*self.run_flags, '--outliers', *shard)
    self.fail_with(3, 'merge', first, other, names=['flags', '--outliers'])
    threads = [f for f in self.run_flags if not f.startswith('--threads')]
    self.succeed(*threads, '--threads=2', *shard)
    self.fail_with(3, 'merge', first, other, names=['threads: '])
    self.succeed(*self.run_flags, *shard,
                 env=cli.environment(ONEDNN_MAX_CPU_ISA='AVX2'))
    self.fail_with(3, 'merge', first, other,
                   names=['the instruction set', 'ONEDNN_MAX_CPU_ISA=AVX2'])
    self.fail_with(3, 'merge', first, second,
                   env=cli.environment(ONEDNN_MAX_CPU_ISA='AVX2'),
                   names=['the instruction set', 'ns merge here'])
    shutil.copy(self.path('labels.pt'), self.path('inputs.pt'))
    self.fail_with(3, 'merge', first, second, names='the inputs')

  def test_changed_model_is_named(self):
    for name in ('float', 'quantized'):
      shutil.copy(os.path.join(cli.CASES, f'net_{name}.pt'),
                  self.path(f'{name}.pt'))
    self.run_flags = (
        'compare', f'--float={self.path("float.pt")}',
        f'--quantized={self.path("quantized.pt")}',
        f'--inputs={self.path("inputs.pt")}', '--threads=1')
    paths = self.shards(2)
    shutil.copy(os.path.join(cli.CASES, 'net_perturbed.pt'),
                self.path('quantized.pt'))
    self.fail_with(3, 'merge', *paths, names=['the quantized model: sha256'])

  def test_missing_shards_have_the_command_that_runs_them(self):
    paths = self.shards(3)
    line = self.fail_with(3, 'merge', paths[0], paths[2],
                          names='shard 1 of 3 is missing')
    os.remove(paths[1])
    command = line.split('; run ns ')[1].split(', or pass')[0]
    subprocess.run(f'{cli.NS} {command}', shell=True, cwd=cli.CASES, check=True,
                   stderr=subprocess.PIPE, timeout=cli.TIMEOUT)
    self.expect_equal(self.reports(*self.run_flags, name='one'),
                      self.reports('merge', *paths, name='merged'))

  def test_partial_report_is_marked(self):
    paths = self.shards(3)
    merged = self.json('merge', paths[0], paths[2], '--partial')
    self.assertEqual(merged['batches'], 5)
    self.assertEqual(merged['partial'], '5 of 7 batches; missing or not '
                     'complete: shard 1 of 3')
    table, _ = self.succeed('merge', paths[0], paths[2], '--partial')
    self.assertIn('partial', table)
    batches = torch.load(self.path('inputs.pt'))
    torch.save([b for i, b in enumerate(batches) if i % 3 != 1],
               self.path('inputs.pt'))
    one = self.json(*self.run_flags)
    self.assertEqual(one['layers'], merged['layers'])

  def test_shard_given_twice(self):
    paths = self.shards(2)
    self.fail_with(3, 'merge', *paths, paths[0], names='both shard 0')

  def test_models_that_keep_state_are_refused(self):

    class Counts(torch.nn.Module):

      def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)
        self.count = 0

      def forward(self, x):
        self.count += 1
        return self.fc(x) * self.count

    torch.jit.script(Counts().eval()).save(self.path('counts.pt'))
    torch.save([torch.randn(2, 3)], self.path('rows.pt'))
    self.fail_with(3, 'compare', f'--float={self.path("counts.pt")}',
                   f'--quantized={self.path("counts.pt")}',
                   f'--inputs={self.path("rows.pt")}', '--shard=0/2',
                   f'--save-shard={self.path("s")}',
                   names='keeps state from batch to batch')

  def test_damaged_files_give_one_line(self):
    paths = self.shards(2)
    with open(paths[1], 'rb') as file:
      whole = file.read()
    generator = random.Random(1)
    for i in range(6):
      mutant = bytearray(whole)
      if i % 2:
        mutant[generator.randrange(len(mutant))] ^= 1 << generator.randrange(8)
      else:
        del mutant[generator.randrange(len(mutant)):]
      with open(paths[1], 'wb') as file:
        file.write(mutant)
      self.fail_with(3, 'merge', *paths, names=paths[1])


class ResumeTest(ShardCase):

  def resumable(self, path):
    return (*self.run_flags, '--shard=0/1', f'--save-shard={path}', '--resume',
            '--save-every=0')

  def test_killed_shards_continue_with_the_same_bytes(self):
    whole, killed = self.path('whole.shard'), self.path('killed.shard')
    self.succeed(*self.resumable(whole))
    generator = random.Random(2)
    kills = 0
    for _ in range(40):
      process = subprocess.Popen(
          [cli.NS, *self.resumable(killed)], cwd=cli.CASES,
          env=cli.environment(), stdin=subprocess.DEVNULL,
          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
      if kills < 5:
        time.sleep(generator.uniform(.05, .6))
        process.send_signal(signal.SIGKILL)
        kills += 1
      process.communicate(timeout=cli.TIMEOUT)
      if process.returncode == 0:
        break
    with open(whole, 'rb') as one, open(killed, 'rb') as other:
      self.assertEqual(one.read(), other.read())
    self.assertEqual([f for f in os.listdir(self.folder) if 'resume' in f], [])
    _, error = self.succeed(*self.resumable(killed))
    self.assertIn('complete already', error)

  def partly_done(self, path):
    """Leaves the progress of a shard that fails at its last batch."""
    batches = torch.load(self.path('inputs.pt'))
    torch.save([*batches[:-1], torch.randn(1, 2)], self.path('inputs.pt'))
    self.fail_with(3, *self.resumable(path))
    self.assertTrue(os.path.exists(path + '.resume'))

  def test_progress_of_another_run_is_refused(self):
    path = self.path('s.shard')
    self.partly_done(path)
    self.fail_with(3, *self.resumable(path), '--outliers',
                   names=['.resume', 'the flags', 'remove it'])

  def test_progress_is_reported(self):
    self.partly_done(self.path('s.shard'))
    output, _ = self.succeed('merge', f'--status={self.folder}')
    self.assertIn('shard 0 of 1: 6 of 7 batches', output)
    self.assertIn('0 of 1 shards complete', output)
    self.assertIn('--shard=0/1', output)
    self.fail_with(3, 'merge', self.path('s.shard.resume'),
                   names='not complete')


if __name__ == '__main__':
  unittest.main()

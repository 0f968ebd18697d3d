"""Compares what tools/cmake compiles, generates and installs with Bazel:

cmake_sources_test.py SOURCES_CMAKE LIST_OF_SOURCES PAGE_SOURCE HEADER...

SOURCES_CMAKE links to tools/cmake/sources.cmake in the source tree, where CMake
looks for files. The headers are those of tools/bazel/umbrella.bzl.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES_CMAKE, LIST, PAGE_SOURCE, *HEADERS = sys.argv[1:]
CMAKE_FOLDER = os.path.dirname(os.path.realpath(SOURCES_CMAKE))
ROOT = os.path.dirname(os.path.dirname(CMAKE_FOLDER))
PREFIXED = 'prefixed/nspasses/'


def run_script(name, **variables):
  """The standard output of a script of tools/cmake."""
  return subprocess.run(
      ['cmake', *[f'-D{name}={value}' for name, value in variables.items()],
       '-P', os.path.join(CMAKE_FOLDER, name + '.cmake')],
      check=True, stdout=subprocess.PIPE, text=True).stdout


def read(path):
  with open(path, 'rb') as file:
    return file.read()


def split(lines):
  """Sources, each a path with flags, and headers."""
  sources = {line for line in lines if line.split()[0].endswith('.cc')}
  headers = {line for line in lines if line.endswith('.h')}
  return sources, headers


class CMakeSourcesTest(unittest.TestCase):
  maxDiff = None

  @classmethod
  def setUpClass(cls):
    with open(LIST, encoding='utf-8') as file:
      cls.bazel_sources, headers = split(file.read().splitlines())
    # No installed library has headers of tools/.
    cls.bazel_headers = {h for h in headers if not h.startswith('tools/')}
    # Each line starts with the name of the library.
    lines = run_script('sources').splitlines()
    cls.lines = [line.split(' ', 1)[1] for line in lines]
    cls.cmake_sources, cls.cmake_headers = split(cls.lines)

  def test_lists_are_not_empty(self):
    self.assertGreater(len(self.bazel_sources), 700)
    self.assertGreater(len(self.bazel_headers), 700)
    self.assertGreater(sum(' -m' in line for line in self.bazel_sources), 30)

  def test_compiles_the_sources_of_bazel_with_its_flags(self):
    self.assertEqual(sorted(self.cmake_sources - self.bazel_sources), [],
                     'CMake alone has these')
    self.assertEqual(sorted(self.bazel_sources - self.cmake_sources), [],
                     'tools/cmake/sources.cmake lacks these')

  def test_the_version_is_where_cmake_reads_it(self):
    text = read(os.path.join(CMAKE_FOLDER, 'CMakeLists.txt')).decode()
    path = re.search(r'file\(STRINGS "\$\{NS_ROOT\}/(\S+)" NS_VERSION', text)[1]
    self.assertRegex(read(os.path.join(ROOT, path)).decode(),
                     r'kVersion\[\] = "\d+\.\d+\.\d+"')

  def test_each_source_is_in_one_library(self):
    self.assertEqual(len(self.lines), len(set(self.lines)))

  def test_installs_the_headers_of_bazel(self):
    self.assertEqual(sorted(self.cmake_headers - self.bazel_headers), [],
                     'CMake alone has these')
    self.assertEqual(sorted(self.bazel_headers - self.cmake_headers), [],
                     'tools/cmake/sources.cmake lacks these')

  def test_generates_the_source_of_the_page(self):
    with tempfile.TemporaryDirectory() as folder:
      out = os.path.join(folder, 'page_source.cc')
      run_script('page_source', PAGE=os.path.join(ROOT, 'ns/report/page'),
                 OUT=out)
      # assertEqual would print both files.
      self.assertTrue(read(out) == read(PAGE_SOURCE))

  def test_prefixes_headers_as_bazel(self):
    prefixed = {path.split(PREFIXED, 1)[1]: path
                for path in HEADERS if PREFIXED in path}
    self.assertEqual(set(prefixed), self.cmake_headers)
    with tempfile.TemporaryDirectory() as folder:
      run_script('prefix_headers', ROOT=ROOT, OUT=folder,
                 HEADERS=';'.join(prefixed))
      for header, path in prefixed.items():
        copy = read(os.path.join(folder, 'nspasses', header))
        self.assertEqual(copy, read(path), header)
        self.assertIn(b'#define NSPASSES_', copy, header)


if __name__ == '__main__':
  unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Checks that folders are small, and depend on one another in one direction.

  tools/lint_folders.py [--floors] [--root=FOLDER]

Reads the BUILD files below the root, by default the tree that this file is in.
Two folders beside each other, such as passes/matching and passes/lowering, must
not need each other, directly or through others: neither must a folder's own
targets and one of its subfolders. Prints a line for each cycle, with the
targets that make it, and one for each folder of more C++ files than anyone looks
through, a header and its source counted as one; then it exits with 1. Tests may
use anything and are not looked at.

  --floors  also print the order of folders that use one another: what a folder
            uses is on a line above its own
"""
import argparse
import ast
import collections
import os
import sys

# Attributes whose labels are what a target needs.
DEPENDENCIES = ('actual', 'data', 'deps', 'exports', 'hdrs', 'srcs', 'tools')
# At most so many C++ files are in a folder.
MOST_FILES = 25
# At most so many pairs of targets are printed for one edge.
EXAMPLES = 3


def build_files(root):
  """(package, text) of each BUILD file but those of tests, in order."""
  for folder, subfolders, files in os.walk(root):
    subfolders[:] = sorted(
        s for s in subfolders
        if not s.startswith(('.', 'bazel-')) and
        not os.path.islink(os.path.join(folder, s)))
    package = os.path.relpath(folder, root).replace(os.sep, '/')
    package = '' if package == '.' else package
    if package == '':
      subfolders[:] = [s for s in subfolders if s != 'tests']
    if 'BUILD' in files:
      with open(os.path.join(folder, 'BUILD'), encoding='utf-8') as file:
        yield package, file.read()


def strings_in(node):
  return [n.value for n in ast.walk(node)
          if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def package_of(label, package):
  """The package of a label of this workspace, or None."""
  if label.startswith('//'):
    return label[2:].split(':')[0]
  return None if label.startswith('@') else package


def absolute(label, package):
  if label.startswith('//'):
    return label
  return f'//{package}:{label.lstrip(":")}'


def edges_of(package, text):
  """(user, used package, used) of all that targets of `package` need.

  BUILD files are nearly Python. Of a list of targets that a comprehension
  makes, all strings that look like labels count.
  """
  for statement in ast.parse(text).body:
    for call in ast.walk(statement):
      if not isinstance(call, ast.Call):
        continue
      attributes = {k.arg: k.value for k in call.keywords}
      names = strings_in(attributes.get('name', ast.Tuple([])))
      user = f'//{package}:{names[0] if names else "..."}'
      labels = [label for attribute in DEPENDENCIES if attribute in attributes
                for label in strings_in(attributes[attribute])]
      if isinstance(getattr(statement, 'value', None), ast.ListComp):
        labels += [s for s in strings_in(statement) if s.startswith('//')]
      for label in labels:
        used = package_of(label, package)
        if used is not None:
          yield user, used, absolute(label, package)


def sibling_graphs(edges):
  """parent -> user folder -> used folder -> [(user, used)], of siblings.

  A package that has subfolders is among them as itself: passes, of passes/ops
  and passes/matching.
  """
  graphs = collections.defaultdict(
      lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
  for package, user, used_package, used in edges:
    here, there = (p.split('/') if p else [] for p in (package, used_package))
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
      common += 1
    if here == there:
      continue
    parent = '/'.join(here[:common])
    folders = ['/'.join(path[:common + 1]) for path in (here, there)]
    graphs[parent][folders[0]][folders[1]].append((user, used))
  return graphs


def shortest_cycle(graph):
  """The folders of a shortest cycle, the first of them in text, or []."""
  best = []
  for start in sorted(graph):
    ways = collections.deque([[start]])
    seen = set()
    while ways:
      way = ways.popleft()
      if best and len(way) >= len(best):
        break
      for following in sorted(graph.get(way[-1], ())):
        if following == start:
          best = way
          ways.clear()
          break
        if following not in seen:
          seen.add(following)
          ways.append(way + [following])
  return best


def cycles_of(graph):
  """Cycles whose weakest edges are all that is too much.

  After each, the edge that fewest targets make is taken away.
  """
  graph = {user: dict(used) for user, used in graph.items()}
  while True:
    cycle = shortest_cycle(graph)
    if not cycle:
      return
    edges = list(zip(cycle, cycle[1:] + cycle[:1]))
    yield [(user, used, graph[user][used]) for user, used in edges]
    user, used = min(edges, key=lambda e: (len(graph[e[0]][e[1]]), e))
    del graph[user][used]


def described(cycle):
  text = []
  for user, used, pairs in cycle:
    pairs = sorted(set(pairs))
    targets = ', '.join(f'{a} needs {b}' for a, b in pairs[:EXAMPLES])
    more = len(pairs) - EXAMPLES
    text.append(f'{user or "//"} -> {used or "//"} ({targets}' +
                (f' and {more} more)' if more > 0 else ')'))
  return '; '.join(text)


def floors_of(graph):
  """Lists of folders: each uses folders of earlier lists only."""
  folders = set(graph) | {used for uses in graph.values() for used in uses}
  while folders:
    floor = sorted(f for f in folders
                   if not folders.intersection(graph.get(f, {})))
    if not floor:
      yield sorted(folders)
      return
    yield floor
    folders.difference_update(floor)


def files_in(folder):
  """The names of its C++ files, without their endings."""
  return {os.path.splitext(name)[0] for name in os.listdir(folder)
          if name.endswith(('.cc', '.h'))}


def main():
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--floors', action='store_true',
                      help='print the folders in order of dependency')
  parser.add_argument('--root', default=os.path.dirname(
      os.path.dirname(os.path.abspath(__file__))))
  options = parser.parse_args()
  graphs = sibling_graphs(
      (package,) + edge for package, text in build_files(options.root)
      for edge in edges_of(package, text))
  found = False
  for package, _ in build_files(options.root):
    count = len(files_in(os.path.join(options.root, package)))
    if count > MOST_FILES:
      print(f'{package}: {count} files, and at most {MOST_FILES} are wanted: '
            'move some to a folder of their own')
      found = True
  for parent in sorted(graphs):
    if options.floors:
      print(f'{parent or "."}:')
      for floor in floors_of(graphs[parent]):
        print('  ' + ' '.join(os.path.basename(f) or '//' for f in floor))
    for cycle in cycles_of(graphs[parent]):
      print('folders need each other: ' + described(cycle))
      found = True
  return 1 if found else 0


if __name__ == '__main__':
  sys.exit(main())

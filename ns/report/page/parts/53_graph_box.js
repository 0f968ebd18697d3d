// One box of the graph: a module or a pair of matched ops, with a part in each
// model's lane.
(function (page) {
  'use strict';
  const {html} = htmPreact;

  const LANES = ['float', 'quantized'];

  // A name without the module's path, which is on the frame around.
  const within = (name, path) => path && name.startsWith(path + '.') ?
      name.slice(path.length + 1) : name;
  const opName = (op) => op.replace(/^[a-z0-9_]+::/, '');

  // The value that colours a box: that of the cell's layer, or the worst (for
  // words: the only one) of those in a closed module.
  page.boxValue = function (box, column, graph, layout, cellsOf, rowOf) {
    const cells = box.kind === 'cell' ? [box.index] : cellsOf.get(box.index);
    let worst;
    for (const index of cells) {
      const id = layout.cells[index].quantized;
      const node = id === undefined ? undefined : graph.quantized.nodes[id];
      const row = node && rowOf.get(node.layer);
      const value = row && page.shownValue(row, column);
      if (value === undefined) continue;
      if (worst === undefined) {
        worst = value;
      } else if (typeof value !== 'number') {
        if (value !== worst) return 'several';
      } else if (page.showsDifferences(column) ?
          (column.worse < 0 ? value < worst : value > worst) :
          column.worse < 0 ? value < worst || Number.isNaN(value) :
          column.worse > 0 ? value > worst || Number.isNaN(value) :
          Math.abs(value) > Math.abs(worst)) {
        worst = value;
      }
    }
    return worst;
  };

  // All cells below each module.
  page.cellsOfModules = function (layout) {
    const cells = new Map(layout.modules.map((_, index) => [index, []]));
    layout.cells.forEach((_, index) => {
      for (const module of page.modulesAround(layout, index)) {
        cells.get(module).push(index);
      }
    });
    return cells;
  };

  // One lane's part of a box: a frame, a closed module or a node.
  function LaneBox({lane, box, view}) {
    const {layout, graph, scale} = view;
    const left = lane === 'float' ? 0 : layout.width + layout.sizes.lane_gap;
    const {x, y, width, height} = box;
    const place = `translate(${left + x},${y})`;
    if (box.kind === 'module') {
      const module = layout.modules[box.index];
      if (!module[lane]) return null;
      const name = within(module.path, layout.modules[module.parent].path) +
          (module.call > 0 ? '@' + module.call : '');
      const colored = !box.open && lane === 'quantized' &&
          box.value !== undefined;
      const fill = colored ? scale.color(box.value) : undefined;
      const ink = colored ? page.inkOn(fill) : undefined;
      return html`<g transform=${place} class=${box.open ? 'frame' : 'module'}>
        <rect width=${width} height=${height} rx="7" fill=${fill} />
        <text x="10" y=${box.open ? 17 : 17} class="title" fill=${ink}>
          ${(box.open ? '\u2212 ' : '+ ') + page.shorten(name, 20)}</text>
        ${!box.open && html`<text x="10" y="33" class="sub" fill=${ink}>${
          module[lane]} ${module[lane] === 1 ? 'op' : 'ops'}</text>`}
        ${colored && html`<text x=${width - 10} y="33" text-anchor="end"
          class="figure" fill=${ink}>${view.figure(box.value)}</text>`}
      </g>`;
    }
    const id = layout.cells[box.index][lane];
    if (id === undefined) return null;
    const node = graph[lane].nodes[id];
    const matched = node.layer !== undefined;
    const colored = matched && lane === 'quantized' && box.value !== undefined;
    const fill = colored ? scale.color(box.value) :
        matched ? undefined : 'url(#hatch)';
    const ink = colored ? page.inkOn(fill) : undefined;
    const name = within(
        node.name, layout.modules[layout.cells[box.index].module].path);
    return html`<g transform=${place} class=${matched ? 'node' :
        'node unmatched'}>
      <rect width=${width} height=${height} rx="4" fill=${fill} />
      <text x="10" y="17" class="title" fill=${ink}>${
        page.shorten(name, 23)}</text>
      <text x="10" y="33" class="sub" fill=${ink}>${
        page.shorten(opName(node.op), colored ? 17 : 24)}</text>
      ${colored && html`<text x=${width - 10} y="33" text-anchor="end"
        class="figure" fill=${ink}>${view.figure(box.value)}</text>`}
    </g>`;
  }

  // What a box is, in words: for screen readers, and as its tooltip.
  function describe(box, view) {
    const {layout, graph} = view;
    if (box.kind === 'module') {
      const module = layout.modules[box.index];
      return `module ${module.path}, ${module.float} float and ` +
          `${module.quantized} quantized ops` + (box.value === undefined ? '' :
            `, worst ${view.column.label} ${view.figure(box.value)}`);
    }
    const cell = layout.cells[box.index];
    const parts = LANES.filter((lane) => cell[lane] !== undefined).map(
        (lane) => {
          const node = graph[lane].nodes[cell[lane]];
          return `${lane} ${node.name} (${node.op})` +
              (node.layer === undefined ?
                `, unmatched: ${node.reason || 'no reason given'}` : '');
        });
    if (box.value !== undefined) {
      parts.push(`${view.column.label} ${view.figure(box.value)}`);
    }
    return parts.join('; ');
  }

  // The layer or the unmatched node of a cell goes into the panel.
  page.openCell = function (layout, graph, index) {
    const cell = layout.cells[index];
    for (const lane of ['quantized', 'float']) {
      const node = cell[lane] === undefined ? undefined :
          graph[lane].nodes[cell[lane]];
      if (node && node.layer !== undefined) return page.openLayer(node.layer);
    }
    const lane = cell.quantized !== undefined ? 'quantized' : 'float';
    page.store.set({layer: null, node: {lane, id: cell[lane]}});
  };

  page.ScaleLegend = function ({view}) {
    const {scale, column} = view;
    if (scale.words) {
      return html`<span class="scale">${scale.words.map((word) => html`<span
        class="scale-word" key=${word}><span class="swatch square"
        style=${{background: scale.color(word)}}></span>${word}</span>`)}</span>`;
    }
    if (scale.ticks) {
      return html`<span class="scale">${scale.ticks.map((db) => html`<span
        class="scale-word" key=${db}><span class="swatch square"
        style=${{background: scale.color(db)}}></span>${db}</span>`)} dB</span>`;
    }
    const stops = scale.stops.join(', ');
    const text = (value) => page.showsDifferences(column) ?
        page.formatChange(value, column.unit) : page.format(value, column.unit);
    return html`<span class="scale"><span>${text(scale.good)}</span>
      <span class="ramp" style=${{
        background: `linear-gradient(to right, ${
          page.showsDifferences(column) ? scale.stops.slice().reverse()
              .join(', ') : stops})`}}></span>
      <span>${text(scale.bad)}</span></span>`;
  };

  page.GraphItem = function ({box, info, act, cursor, selected}) {
    const text = describe(box, info);
    const classes = 'item' + (box.id === cursor ? ' cursor' : '') +
        (selected ? ' selected' : '');
    return html`<g id=${'box-' + box.id} role="treeitem" class=${classes}
        aria-level=${box.depth + 1} aria-label=${text}
        aria-selected=${String(Boolean(selected))}
        aria-expanded=${box.kind === 'module' ? String(box.open) : undefined}
        onClick=${() => act(box)}>
      <title>${text}</title>
      ${LANES.map((lane) => html`<${LaneBox} key=${lane} lane=${lane}
        box=${box} view=${info} />`)}
    </g>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

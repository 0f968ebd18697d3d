// The graph: both models side by side, modules closed at first, coloured by a
// column of the table.
(function (page) {
  'use strict';
  const {html, useLayoutEffect, useMemo, useRef, useState} = htmPreact;

  const MARGIN = 16;
  const LANE_HEAD = 30;
  const LANES = ['float', 'quantized'];

  const opName = (op) => op.replace(/^[a-z0-9_]+::/, '');

  // The value that colours a box: that of the cell's layer, or the worst (for
  // words: the only one) of those in a closed module.
  function boxValue(box, column, graph, layout, cellsOf, rowOf) {
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
  }

  // All cells below each module.
  function cellsOfModules(layout) {
    const cells = new Map(layout.modules.map((_, index) => [index, []]));
    layout.cells.forEach((_, index) => {
      for (const module of page.modulesAround(layout, index)) {
        cells.get(module).push(index);
      }
    });
    return cells;
  }

  // One lane's part of a box: a frame, a closed module or a node.
  function LaneBox({lane, box, view}) {
    const {layout, graph, scale} = view;
    const left = lane === 'float' ? 0 : layout.width + layout.sizes.lane_gap;
    const {x, y, width, height} = box;
    const place = `translate(${left + x},${y})`;
    if (box.kind === 'module') {
      const module = layout.modules[box.index];
      if (!module[lane]) return null;
      const name = module.path.split('.').pop() +
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
    // The module's name is on its frame.
    const open = layout.modules[layout.cells[box.index].module].path;
    const name = open && node.name.startsWith(open + '.') ?
        node.name.slice(open.length + 1) : node.name;
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
  function openCell(layout, graph, index) {
    const cell = layout.cells[index];
    for (const lane of ['quantized', 'float']) {
      const node = cell[lane] === undefined ? undefined :
          graph[lane].nodes[cell[lane]];
      if (node && node.layer !== undefined) return page.openLayer(node.layer);
    }
    const lane = cell.quantized !== undefined ? 'quantized' : 'float';
    page.store.set({layer: null, node: {lane, id: cell[lane]}});
  }

  function Legend({view}) {
    const {scale, column} = view;
    if (scale.words) {
      return html`<span class="scale">${scale.words.map((word) => html`<span
        class="scale-word" key=${word}><span class="swatch square"
        style=${{background: scale.color(word)}}></span>${word}</span>`)}</span>`;
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
  }

  page.Graph = function () {
    const state = page.useStore();
    const {report, layout} = state;
    const graph = report.graph;
    const [open, setOpen] = useState(() => page.firstOpen(layout));
    const [key, setKey] = useState(() => (state.columns.find((column) =>
      /sqnr_db$/.test(column.key)) || state.columns[0]).key);
    const [zoom, setZoom] = useState(0);
    const [cursor, setCursor] = useState(null);
    const [view, setView] = useState(
        {left: 0, top: 0, width: 1000, height: 700});
    const box = useRef(null);

    const column = state.columns.find((entry) => entry.key === key);
    const rowOf = useMemo(() => new Map(
        state.rows.map((row) => [row.get('name'), row])), [state.rows]);
    const cellsOf = useMemo(() => cellsOfModules(layout), [layout]);
    const cellOf = useMemo(() => new Map(layout.cells.flatMap((cell, index) =>
      cell.quantized === undefined ? [] :
        [[graph.quantized.nodes[cell.quantized].layer, index]])), [layout]);
    const placed = useMemo(() => page.placeBoxes(layout, open), [open]);
    const edges = useMemo(
        () => page.placeEdges(layout, graph, placed), [placed]);
    const scale = useMemo(() => page.colorScale(
        column, state.rows.map((row) => page.shownValue(row, column)),
        page.showsDifferences(column)),
    [key, state.rows, state.baseline, state.differences]);
    const figure = (value) => typeof value !== 'number' ? value :
        page.showsDifferences(column) ?
            page.formatChange(value, column.unit) :
            page.format(value, column.unit);
    const info = {layout, graph, scale, column, figure};

    const wide = 2 * layout.width + layout.sizes.lane_gap + 2 * MARGIN;
    const tall = placed.height + LANE_HEAD + 2 * MARGIN;
    const fit = Math.min(1, Math.max(0.55, (view.width - 2) / wide));
    const factor = state.printing ? Math.min(1, 700 / wide) :
        fit * 1.25 ** zoom;

    useLayoutEffect(() => {
      const element = box.current;
      const measure = () => setView({
        left: element.scrollLeft, top: element.scrollTop,
        width: element.clientWidth, height: element.clientHeight});
      measure();
      const watch = new ResizeObserver(measure);
      watch.observe(element);
      element.addEventListener('scroll', measure, {passive: true});
      return () => {
        watch.disconnect();
        element.removeEventListener('scroll', measure);
      };
    }, []);

    const reveal = (target) => {
      const element = box.current;
      const y = (target.y + LANE_HEAD + MARGIN) * factor;
      if (y < element.scrollTop + LANE_HEAD ||
          y + target.height * factor > element.scrollTop +
              element.clientHeight) {
        element.scrollTop = y - element.clientHeight / 3;
      }
    };
    // Shows the cell of a layer, with the modules around it open.
    page.showInGraph = (name) => {
      const index = cellOf.get(name);
      if (index === undefined) return;
      const next = new Set([...open, ...page.modulesAround(layout, index)]);
      setOpen(next);
      setCursor('c' + index);
      document.getElementById('graph').scrollIntoView({block: 'start'});
      const target = page.placeBoxes(layout, next).boxOfCell[index];
      requestAnimationFrame(() => reveal(target));
    };

    const toggle = (index) => {
      const next = new Set(open);
      if (!next.delete(index)) next.add(index);
      setOpen(next);
    };
    const act = (target) => {
      setCursor(target.id);
      if (target.kind === 'module') toggle(target.index);
      else openCell(layout, graph, target.index);
    };
    const onKey = (event) => {
      const at = placed.boxes.findIndex((entry) => entry.id === cursor);
      const current = placed.boxes[at];
      const last = placed.boxes.length - 1;
      const next = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last}[
        event.key];
      if (next !== undefined) {
        const target = placed.boxes[Math.min(Math.max(next, 0), last)];
        setCursor(target.id);
        reveal(target);
      } else if ((event.key === 'Enter' || event.key === ' ') && current) {
        act(current);
      } else if (event.key === 'ArrowRight' && current &&
                 current.open === false) {
        toggle(current.index);
      } else if (event.key === 'ArrowLeft' && current && current.open) {
        toggle(current.index);
      } else {
        return;
      }
      event.preventDefault();
    };

    // Only what is in sight is drawn.
    const from = state.printing ? 0 : view.top / factor - 400;
    const to = state.printing ? Infinity :
        (view.top + view.height) / factor + 400;
    const seen = (entry) => entry.y + entry.height + LANE_HEAD >= from &&
        entry.y + LANE_HEAD <= to;
    const shown = placed.boxes.filter(seen);
    for (const entry of shown) {
      if (entry.kind === 'cell' || !entry.open) {
        entry.value = boxValue(entry, column, graph, layout, cellsOf, rowOf);
      }
    }
    const drawn = edges.filter((edge) => edge.bottom + LANE_HEAD >= from &&
                                         edge.top + LANE_HEAD <= to);
    const selected = cellOf.get(state.layer);
    const laneLeft = (lane) => lane === 'float' ? 0 :
        layout.width + layout.sizes.lane_gap;
    return html`<div>
      <div class="bar">
        <h2>Graph</h2>
        <label>Colour by <select id="color-by" value=${key}
            onChange=${(event) => setKey(event.target.value)}>
          ${state.columns.filter((entry) => entry.key !== 'name').map(
      (entry) => html`<option key=${entry.key} value=${entry.key}>${
        entry.label}</option>`)}
        </select></label>
        <${Legend} view=${info} />
        <span class="space"></span>
        <button type="button" onClick=${() => setOpen(new Set(
      layout.modules.map((_, index) => index)))}>Expand all</button>
        <button type="button" onClick=${() => setOpen(
      page.firstOpen(layout))}>Collapse</button>
        <button type="button" aria-label="Zoom out"
            onClick=${() => setZoom(zoom - 1)}>\u2212</button>
        <button type="button" aria-label="Zoom in"
            onClick=${() => setZoom(zoom + 1)}>+</button>
        <button type="button" onClick=${() => setZoom(0)}>Fit</button>
      </div>
      <div class="graph-box" ref=${box}>
        <svg width=${wide * factor} height=${tall * factor}
            viewBox=${`0 0 ${wide} ${tall}`} role="tree" tabindex="0"
            aria-label=${'Modules and ops of both models. Up and down move, ' +
              'right and left open and close a module, Enter opens a layer.'}
            aria-activedescendant=${shown.some((entry) => entry.id === cursor) ?
              'box-' + cursor : undefined} onKeyDown=${onKey}>
          <defs><pattern id="hatch" width="7" height="7"
            patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="7" height="7" class="hatch-ground" />
            <rect width="2" height="7" class="hatch-line" />
          </pattern></defs>
          <g transform=${`translate(${MARGIN},${MARGIN + LANE_HEAD})`}>
            <g aria-hidden="true">${LANES.map((lane) => html`<text key=${lane}
              class="lane" x=${laneLeft(lane) + layout.width / 2} y="-18"
              text-anchor="middle">${lane} model</text>`)}</g>
            ${shown.filter((entry) => entry.open).map((entry) => html`<${Item}
              key=${entry.id} box=${entry} info=${info} act=${act}
              cursor=${cursor} />`)}
            <g aria-hidden="true" class="edges">${drawn.map((edge) => html`<path
              key=${edge.lane + edge.from.id + edge.to.id} d=${edge.path}
              class=${edge.skips ? 'skip' : ''}
              transform=${`translate(${laneLeft(edge.lane)},0)`} />`)}</g>
            ${shown.filter((entry) => !entry.open).map((entry) => html`<${Item}
              key=${entry.id} box=${entry} info=${info} act=${act}
              cursor=${cursor}
              selected=${entry.kind === 'cell' && entry.index === selected} />`)}
          </g>
        </svg>
      </div>
      <p class="hint">Matched ops are level. Hatched ones have no counterpart:
        click to see why. Click a module to open or close it, an op to open its
        layer.</p>
    </div>`;
  };

  function Item({box, info, act, cursor, selected}) {
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
  }
})(globalThis.nsPage = globalThis.nsPage || {});

// The graph: both models side by side, modules closed at first, coloured by a
// column of the table.
(function (page) {
  'use strict';
  const {html, useLayoutEffect, useMemo, useRef, useState} = htmPreact;

  const MARGIN = 16;
  const LANE_HEAD = 30;
  const LANES = ['float', 'quantized'];

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
    const cellsOf = useMemo(() => page.cellsOfModules(layout), [layout]);
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

    const laneLeft = (lane) => lane === 'float' ? 0 :
        layout.width + layout.sizes.lane_gap;
    const wide = 2 * layout.width + layout.sizes.lane_gap + 2 * MARGIN;
    const tall = placed.height + LANE_HEAD + 2 * MARGIN;
    const fit = Math.min(1, Math.max(0.75, (view.width - 2) / wide));
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
      const left = (MARGIN + laneLeft('quantized') + target.x) * factor;
      const right = left + target.width * factor;
      if (left < element.scrollLeft ||
          right > element.scrollLeft + element.clientWidth) {
        element.scrollLeft = right + MARGIN - element.clientWidth;
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
      else page.openCell(layout, graph, target.index);
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
        entry.value = page.boxValue(entry, column, graph, layout, cellsOf, rowOf);
      }
    }
    const drawn = edges.filter((edge) => edge.bottom + LANE_HEAD >= from &&
                                         edge.top + LANE_HEAD <= to);
    const selected = cellOf.get(state.layer);
    return html`<div>
      <div class="bar">
        <h2>Graph</h2>
        <label>Colour by <select id="color-by" value=${key}
            onChange=${(event) => setKey(event.target.value)}>
          ${state.columns.filter((entry) => entry.key !== 'name').map(
      (entry) => html`<option key=${entry.key} value=${entry.key}>${
        entry.label}</option>`)}
        </select></label>
        <${page.ScaleLegend} view=${info} />
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
            ${shown.filter((entry) => entry.open).map((entry) => html`<${page.GraphItem}
              key=${entry.id} box=${entry} info=${info} act=${act}
              cursor=${cursor} />`)}
            <g aria-hidden="true" class="edges">${drawn.map((edge) => html`<path
              key=${edge.lane + edge.from.id + edge.to.id} d=${edge.path}
              class=${edge.skips ? 'skip' : ''}
              transform=${`translate(${laneLeft(edge.lane)},0)`} />`)}</g>
            ${shown.filter((entry) => !entry.open).map((entry) => html`<${page.GraphItem}
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
})(globalThis.nsPage = globalThis.nsPage || {});

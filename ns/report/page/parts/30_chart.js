// The strip chart: SQNR along the order of execution, and behind it each layer's
// share of the output's error. Drag to zoom, double click to see all, click to
// open a layer.
(function (page) {
  'use strict';
  const {html, useEffect, useLayoutEffect, useRef, useState} = htmPreact;

  const {levels, height, limitsOf, gridSplits, drawBands, drawMarks} =
      page.chart;

  // The bars behind the lines, with an axis of their own.
  const SHARE = {key: 'output_share', label: 'Share of output error',
                 ink: '--series-4', dash: [], bars: true};
  const HEIGHT = 320;
  const NAME_LETTERS = 20;
  const Y_WIDTH = 52;

  // What is drawn: a line for each series that the report has, and one for each
  // of them that the earlier report has.
  function linesOf(state, hidden) {
    const {rows, baseline} = state;
    const lines = [];
    for (const series of [...state.series, SHARE]) {
      const all = rows.map((row) => row.get(series.key));
      if (!all.some((value) => value !== undefined)) continue;
      lines.push({...series, all, hidden: hidden.has(series.key)});
      if (!baseline || series.bars) continue;
      const earlier = rows.map((row) => {
        const other = baseline.rows.get(row.get('name'));
        return other && other.get(series.key);
      });
      lines.push({...series, all: earlier, earlier: true,
                  label: series.label + ' (earlier)',
                  hidden: hidden.has(series.key)});
    }
    return lines;
  }

  function makePlot(element, lines, tell) {
    const {report, rows, theme, printing} = page.store.state;
    const names = rows.map((row) => row.get('name'));
    const limits = limitsOf(report);
    const level = levels(lines.filter((line) => !line.bars), limits);
    const bars = lines.find((line) => line.bars && !line.hidden);
    const mostShare = bars ? bars.all.reduce(
        (most, value) => Math.max(most, value || 0), 0) : 0;
    const ink = page.cssColor('--muted');
    const grid = {stroke: page.cssColor('--grid'), width: 1};
    const font = '12px ' + getComputedStyle(document.body).fontFamily;
    const last = names.length - 1;
    const few = names.length <= 120;
    const longest = names.reduce((most, name) =>
      Math.max(most, Math.min(Array.from(name).length, NAME_LETTERS)), 0);
    const plot = new uPlot({
      width: element.clientWidth,
      height: HEIGHT,
      legend: {show: false},
      scales: {
        x: {time: false, range: (_, min, max) =>
          [min <= 0 ? -0.5 : min, max >= last ? last + 0.5 : max]},
        y: {range: [(level.below ?? level.bottom) - 1,
                    (level.above ?? level.top) + 2]},
        // No bar is higher than a third of the chart: lines stay in front.
        share: {range: [0, Math.max(3 * mostShare, 0.01)]},
      },
      axes: [
        {
          stroke: ink, font, grid: {show: false}, ticks: {...grid, size: 4},
          rotate: 45, size: 24 + longest * 4.4,
          splits: (self, _, min, max) => {
            const wide = self.bbox.width / devicePixelRatio;
            const step = Math.max(1, Math.ceil((max - min) * 17 / wide));
            const splits = [];
            for (let i = Math.max(0, Math.ceil(min)); i <= max; i += step) {
              if (i < names.length) splits.push(i);
            }
            return splits;
          },
          // What is cut off at the left edge would not tell much.
          values: (self, splits) => splits.map((i) => page.shorten(
              names[i] ?? '', Math.max(2, Math.min(NAME_LETTERS, Math.floor(
                  (self.valToPos(i, 'x') + Y_WIDTH) / 4.8))))),
        },
        {
          stroke: ink, font, grid, ticks: {show: false},
          size: Y_WIDTH,
          splits: (_, axis, min, max) => gridSplits(level, min, max),
          values: (_, splits) => splits.map((at) => at === level.above ?
            level.aboveText : at === level.below ? '-inf' : String(at)),
        },
        ...(bars ? [{
          scale: 'share', side: 1, stroke: ink, font, grid: {show: false},
          ticks: {show: false}, size: Y_WIDTH,
          splits: () => [0, mostShare / 2, mostShare],
          values: (_, splits) => splits.map((at) => page.format(at, 'share')),
        }] : []),
      ],
      cursor: {
        drag: {x: true, y: false, dist: 4},
        points: {size: 8},
      },
      series: [{}, ...lines.map((line) => ({
        label: line.label, show: !line.hidden, spanGaps: true,
        ...(line.bars ? {scale: 'share', fill: page.cssColor('--bar'),
                         paths: uPlot.paths.bars({size: [0.8, 40]})} : {}),
        stroke: page.cssColor(line.ink), dash: line.earlier ? [1, 4] :
            line.dash, width: line.bars ? 0.5 : line.earlier ? 1.2 : 2,
        alpha: line.earlier ? 0.7 : 1,
        points: {show: few && !line.earlier && !line.bars, size: 5,
                 fill: page.cssColor(line.ink)},
      }))],
      hooks: {
        drawClear: [(self) => drawBands(self, limits)],
        draw: [(self) => drawMarks(
            self, lines.filter((line) => !line.bars), level, limits)],
        setCursor: [(self) => tell(self, self.cursor.idx)],
      },
    }, [
      names.map((_, index) => index),
      ...lines.map((line) => line.all.map((value) => line.bars ?
        value ?? null : height(level, value))),
    ], element);
    plot.over.addEventListener('click', () => {
      const index = plot.cursor.idx;
      // A drag ends with a click, too.
      if (index !== null && index !== undefined && !plot.dragged) {
        page.openLayer(names[index]);
      }
    });
    let from = 0;
    plot.over.addEventListener('mousedown', (event) => {
      from = event.clientX;
    });
    plot.over.addEventListener('mouseup', (event) => {
      plot.dragged = Math.abs(event.clientX - from) > 4;
    });
    plot.look = theme + printing;
    return plot;
  }

  // Shows what is under the cursor, beside it.
  function Tooltip({plot, index, lines}) {
    if (index === null || index === undefined) return null;
    const {rows} = page.store.state;
    const at = plot.valToPos(index, 'x') + plot.over.offsetLeft;
    const right = at > plot.width / 2;
    const style = right ? {right: plot.width - at + 14 + 'px'} :
        {left: at + 14 + 'px'};
    return html`<div class="tooltip" style=${style}>
      <div class="mono">${rows[index].get('name')}</div>
      ${lines.filter((line) => line.all[index] !== undefined).map((line) =>
        html`<div class="tip-line" key=${line.label}>
          <span class=${'swatch ' + line.ink.slice(2)}></span>
          ${line.label}<b>${page.format(
            line.all[index], line.bars ? 'share' : 'dB')}</b></div>`)}
    </div>`;
  }

  // Saves the chart as it stands, on the ground of the page.
  function savePicture(plot) {
    const canvas = document.createElement('canvas');
    const from = plot.ctx.canvas;
    canvas.width = from.width;
    canvas.height = from.height;
    const context = canvas.getContext('2d');
    context.fillStyle = page.cssColor('--surface');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(from, 0, 0);
    canvas.toBlob((blob) => page.saveBlob(blob, page.stem() + '.png'));
  }

  page.Chart = function () {
    const state = page.useStore();
    const element = useRef(null);
    const chart = useRef(null);
    const [hidden, setHidden] = useState(new Set());
    const [tip, setTip] = useState(null);
    const lines = linesOf(state, hidden);
    useLayoutEffect(() => {
      chart.current = makePlot(element.current, lines, (_, index) =>
        setTip(index));
      page.plot = chart.current;
      return () => chart.current.destroy();
    }, [hidden, state.baseline, state.theme, state.printing, state.dark]);
    useLayoutEffect(() => {
      chart.current.redraw(false);
    }, [state.layer]);
    useEffect(() => {
      const watch = new ResizeObserver(() => {
        const width = element.current.clientWidth;
        if (width > 0 && width !== chart.current.width) {
          chart.current.setSize({width, height: HEIGHT});
        }
      });
      watch.observe(element.current);
      return () => watch.disconnect();
    }, []);
    if (state.rows.length === 0) return null;
    const last = state.rows.length - 1;
    const zoom = (min, max) => chart.current.setScale('x', {
      min: Math.max(0, min), max: Math.min(last, Math.max(max, min + 1))});
    const key = (event) => {
      const plot = chart.current;
      const {min, max} = plot.scales.x;
      const at = plot.cursor.idx ?? -1;
      const next = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0,
                    End: last}[event.key];
      if (next !== undefined) {
        const index = Math.min(Math.max(next, 0), last);
        if (index < min || index > max) {
          const shift = index < min ? index - min : index - max;
          zoom(min + shift, max + shift);
        }
        plot.setCursor({left: plot.valToPos(index, 'x'), top: 10});
      } else if (event.key === 'Enter' && at >= 0) {
        page.openLayer(state.rows[at].get('name'));
      } else if (event.key === '+' || event.key === '-') {
        const middle = at >= 0 ? at : (min + max) / 2;
        const half = (max - min) * (event.key === '+' ? 0.25 : 1);
        zoom(middle - half, middle + half);
      } else if (event.key === '0' || event.key === 'Escape') {
        zoom(0, last);
      } else {
        return;
      }
      event.preventDefault();
    };
    const toggle = (name) => {
      const next = new Set(hidden);
      if (!next.delete(name)) next.add(name);
      setHidden(next);
    };
    return html`<div>
      <div class="bar">
        <h2>SQNR along the order of execution</h2>
        <span class="space"></span>
        ${lines.filter((line) => !line.earlier).map((line) => html`
          <button type="button" class="legend" key=${line.key}
              aria-pressed=${String(!line.hidden)}
              onClick=${() => toggle(line.key)}>
            <span class=${'swatch ' + line.ink.slice(2)}></span>${line.label}
          </button>`)}
        <button type="button" id="zoom-reset" onClick=${() => zoom(0, last)}>
          Reset zoom</button>
        <button type="button" id="save-chart" onClick=${() => savePicture(
      chart.current)}>Save picture</button>
      </div>
      <div class="chart" tabindex="0" role="application" onKeyDown=${key}
          aria-label=${'Line chart of SQNR in dB for ' + state.rows.length +
            ' layers. Left and right move the cursor, Enter opens the layer,' +
            ' plus and minus zoom, 0 resets the zoom. The table has the figures.'}>
        <div ref=${element}></div>
        ${chart.current && html`<${Tooltip} plot=${chart.current} index=${tip}
            lines=${lines.filter((line) => !line.hidden)} />`}
      </div>
      <p class="hint">In dB, higher is better. ${state.chartHint} Drag to zoom,
        double click to see all, click to open a layer.</p>
    </div>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

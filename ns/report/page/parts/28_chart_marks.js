// What the strip chart draws beside uPlot's lines: bands below limits, and marks
// for figures that have no place on a line.
(function (page) {
  'use strict';

  page.chart = {};

  // Nobody needs more than this, in dB. Some ops are far above, and would press
  // the rest together.
  const ENOUGH = 80;

  // The heights of the lines, and the levels above and below them where figures
  // are marked that have no place between: infinite ones, and more than enough.
  page.chart.levels = function (data, limits) {
    const finite = [...data.flatMap((line) => line.all),
                    ...limits.map((limit) => limit.bound)]
        .filter(Number.isFinite);
    const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const bottom = finite.length ?
        Math.min(Math.floor((least - 2) / 10) * 10, ENOUGH - 10) : 0;
    const top = finite.length ?
        Math.min(Math.ceil((most + 2) / 10) * 10, ENOUGH) : 50;
    const step = (top - bottom) * 0.09;
    const holds = (value) => data.some((line) => line.all.includes(value));
    return {
      bottom, top,
      above: most > top || holds(Infinity) ? top + step : undefined,
      aboveText: most > top ? '> ' + top : 'exact',
      below: holds(-Infinity) ? bottom - step : undefined,
    };
  };

  // Where a figure is on the chart: a height, or null where it is marked.
  page.chart.height = function (level, value) {
    return Number.isFinite(value) && value <= level.top ? value : null;
  };

  // Bounds of SQNR by the index of their layer: {index, bound, passed}.
  page.chart.limitsOf = function (report) {
    const places = new Map(report.layers.map((layer, i) => [layer.name, i]));
    return (report.limits || [])
        .filter((limit) => limit.limit === 'fail-below' && !limit.output &&
                           places.has(limit.layer))
        .map((limit) => ({index: places.get(limit.layer), bound:
                          page.number(limit.bound), passed: limit.passed}));
  };

  page.chart.gridSplits = function (level, min, max) {
    const span = level.top - level.bottom;
    const step = span > 160 ? 40 : span > 70 ? 20 : 10;
    const splits = [];
    for (let at = Math.ceil(level.bottom / step) * step; at <= level.top;
      at += step) {
      splits.push(at);
    }
    if (level.above !== undefined) splits.push(level.above);
    if (level.below !== undefined) splits.unshift(level.below);
    return splits.filter((at) => at >= min && at <= max);
  };

  // Draws the ranges below limits, and the layer that is open.
  page.chart.drawBands = function (plot, limits) {
    const {ctx, bbox} = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = page.cssColor('--band');
    for (const {index, bound} of limits) {
      const left = plot.valToPos(index - 0.5, 'x', true);
      const right = plot.valToPos(index + 0.5, 'x', true);
      const top = plot.valToPos(bound, 'y', true);
      ctx.fillRect(left, top, right - left, bbox.top + bbox.height - top);
    }
    const open = page.indexOfLayer(page.store.state.layer);
    if (open >= 0) {
      ctx.fillStyle = page.cssColor('--accent-soft');
      const left = plot.valToPos(open - 0.5, 'x', true);
      ctx.fillRect(left, bbox.top,
                   Math.max(plot.valToPos(open + 0.5, 'x', true) - left, 3),
                   bbox.height);
    }
    ctx.restore();
  };

  // Marks figures that are no place on a line, and limits that were crossed.
  page.chart.drawMarks = function (plot, lines, level, limits) {
    const {ctx, bbox} = plot;
    const size = 3 * devicePixelRatio;
    ctx.save();
    const visible = (x) => x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1;
    const crossed = new Set(
        limits.filter((limit) => !limit.passed).map((limit) => limit.index));
    lines.forEach((line, number) => {
      if (line.hidden || line.earlier) return;
      ctx.fillStyle = page.cssColor(line.ink);
      line.all.forEach((value, index) => {
        const x = plot.valToPos(index, 'x', true);
        if (!visible(x)) return;
        if (value > level.top || value === -Infinity) {
          const y = plot.valToPos(
              value > 0 ? level.above : level.below, 'y', true);
          ctx.fillRect(x - size, y - size / 2 + (number - 1) * size,
                       2 * size, size);
        } else if (crossed.has(index) && number === 0 &&
                   Number.isFinite(value)) {
          ctx.strokeStyle = page.cssColor('--bad');
          ctx.lineWidth = 2 * devicePixelRatio;
          ctx.beginPath();
          ctx.arc(x, plot.valToPos(value, 'y', true), 2.2 * size, 0, 7);
          ctx.stroke();
        }
      });
    });
    ctx.restore();
  };
})(globalThis.nsPage = globalThis.nsPage || {});

// The recipes that ns search found: SQNR against time, with the one that it
// chose.
(function (page) {
  'use strict';
  const {html} = htmPreact;

  const WIDE = 720;
  const TALL = 300;
  const MARGIN = {left: 52, right: 24, top: 24, bottom: 40};

  // About five round numbers between two ends.
  function ticks(from, to) {
    const rough = (to - from) / 5 || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((part) => part * power >= rough);
    const list = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      list.push(Number(at.toPrecision(10)));
    }
    return list;
  }

  const text = (db) => page.format(db, 'dB') + (Number.isFinite(db) ? ' dB' : '');

  page.Frontier = function ({points, budget}) {
    const finite = points.map((point) => point.db).filter(Number.isFinite);
    if (finite.length === 0) return null;
    const all = budget === undefined ? finite : [...finite, budget];
    const bottom = Math.floor(Math.min(...all) - 1);
    const highest = Math.ceil(Math.max(...all) + 1);
    const hasExact = points.some((point) => point.db === Infinity);
    const top = hasExact ? highest + (highest - bottom) * 0.12 : highest;
    const most = Math.max(...points.map((point) => point.ms)) * 1.04;
    const x = (ms) => MARGIN.left +
        ms / most * (WIDE - MARGIN.left - MARGIN.right);
    const y = (db) => TALL - MARGIN.bottom -
        (Math.min(db, top) - bottom) / (top - bottom) *
            (TALL - MARGIN.top - MARGIN.bottom);
    const place = (point) => `${x(point.ms)},${y(point.db)}`;
    const levels = ticks(bottom, highest);
    return html`<svg class="frontier" viewBox=${`0 0 ${WIDE} ${TALL}`} role="img"
        aria-label="SQNR of the outputs against the time of a batch, of each
          recipe on the frontier. The table below has the figures.">
      <g class="axis">${levels.map((db) => html`<g key=${db}>
        <line x1=${MARGIN.left} x2=${WIDE - MARGIN.right} y1=${y(db)}
          y2=${y(db)} />
        <text x=${MARGIN.left - 8} y=${y(db) + 4} text-anchor="end">${db}</text>
        </g>`)}
        ${hasExact && html`<text x=${MARGIN.left - 8} y=${y(top) + 4}
          text-anchor="end">exact</text>`}
        ${ticks(0, most).map((ms) => html`<text key=${ms} x=${x(ms)}
          y=${TALL - MARGIN.bottom + 18} text-anchor="middle">${ms}</text>`)}
        <text x=${WIDE - MARGIN.right} y=${TALL - 4} text-anchor="end">ms for a
          batch</text>
        <text x=${MARGIN.left} y="12">dB</text></g>
      ${budget !== undefined && html`<g class="budget"><line x1=${MARGIN.left}
        x2=${WIDE - MARGIN.right} y1=${y(budget)} y2=${y(budget)} />
        <text x=${WIDE - MARGIN.right} y=${y(budget) - 5}
          text-anchor="end">budget</text></g>`}
      <polyline class="series-1" points=${points.map(place).join(' ')} />
      ${points.map((point, i) => html`<g key=${i} class=${
        (point.measured ? 'measured' : 'predicted') +
        (point.chosen ? ' chosen' : '')}>
        <circle cx=${x(point.ms)} cy=${y(point.db)} r=${point.chosen ? 7 : 4.5}>
          <title>${`${text(point.db)} ${point.measured ? 'measured' :
            'predicted'}, ${page.format(point.ms, '')} ms, ${
            point.int8} layers in int8`}</title></circle>
        ${point.chosen && html`<text x=${x(point.ms) + 11}
          y=${y(point.db) + 4}>chosen</text>`}</g>`)}
    </svg>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

// Small pictures of the layer panel: histograms, error against value, bars.
(function (page) {
  'use strict';
  const {html, useLayoutEffect, useRef, useState} = htmPreact;

  const WIDTH = 400;
  const HEIGHT = 120;
  const FOOT = 18;

  const short = (number) => page.format(Number(number.toPrecision(3)), '');

  // Some round values from `low` to `high`, 1, 2 or 5 times a power of 10 apart.
  function roundValues(low, high) {
    const rough = (high - low) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * power)
        .find((size) => size >= rough * 0.8);
    const values = [];
    for (let i = Math.ceil(low / step); i * step <= high; i++) {
      values.push(i * step);
    }
    return values;
  }

  // The outline of a histogram as the path of steps. `height` turns a count
  // into pixels, `place` a value.
  function steps(histogram, place, height) {
    let path = `M${place(histogram.lowest)},${HEIGHT}`;
    histogram.counts.forEach((count, i) => {
      const right = place(histogram.lowest + (i + 1) * histogram.width);
      path += `V${(HEIGHT - height(count)).toFixed(1)}H${right.toFixed(1)}`;
    });
    return path + `V${HEIGHT}Z`;
  }

  function finiteHistogram(histogram) {
    return histogram && Array.isArray(histogram.counts) &&
        histogram.counts.length > 0 &&
        Number.isFinite(page.number(histogram.lowest)) &&
        Number.isFinite(page.number(histogram.width));
  }

  // Histograms over one another: `parts` is a list of {label, look, data}.
  // Counts are shown by their logarithm where one bin would hide the others.
  page.Histogram = function ({title, parts, samples}) {
    const shown = parts.filter((part) => finiteHistogram(part.data));
    const [log, setLog] = useState(() => shown.some(({data}) =>
      Math.max(...data.counts) > data.counts.reduce((a, b) => a + b, 0) / 3));
    if (shown.length === 0) return null;
    const low = Math.min(...shown.map(({data}) => data.lowest));
    const high = Math.max(...shown.map(
        ({data}) => data.lowest + data.width * data.counts.length));
    const span = high - low || 1;
    const most = Math.max(1, ...shown.flatMap(({data}) => data.counts));
    const scale = log ? (count) => Math.log1p(count) / Math.log1p(most) :
        (count) => count / most;
    const place = (value) => (value - low) / span * WIDTH;
    const height = (count) => scale(count) * (HEIGHT - 4);
    const ticks = roundValues(low, low + span);
    const summary = `${title}: ${shown.map(({label}) => label).join(' and ')}` +
        `, from ${short(low)} to ${short(high)}`;
    return html`<figure class="plot">
      <figcaption>${title}
        ${shown.length > 1 && shown.map(({label, look}) => html`
          <span class="key" key=${label}><span class=${'swatch ' + look}></span>
          ${label}</span>`)}
        ${samples !== undefined && html`<span class="faint">n = ${
          page.format(samples, 'count')}</span>`}
        <span class="space"></span>
        <label class="log" title="Show the logarithm of counts"><input
          type="checkbox" checked=${log} onChange=${() => setLog(!log)} />
          log</label>
      </figcaption>
      <svg viewBox=${`0 -2 ${WIDTH} ${HEIGHT + FOOT + 2}`} role="img"
          aria-label=${summary}>
        ${shown.map(({label, look, data}, i) => html`<path key=${label}
          class=${look + (i === 0 ? ' area' : ' line')}
          d=${steps(data, place, height)} />`)}
        ${low < 0 && high > 0 && html`<line class="zero" x1=${place(0)}
            x2=${place(0)} y1="0" y2=${HEIGHT} />`}
        <line class="axis" x1="0" x2=${WIDTH} y1=${HEIGHT} y2=${HEIGHT} />
        ${ticks.map((value, i) => html`<text key=${i} x=${place(value)}
          y=${HEIGHT + 14} text-anchor=${place(value) < 16 ? 'start' :
            place(value) > WIDTH - 16 ? 'end' : 'middle'}>${short(value)}</text>
          <line class="axis" key=${'t' + i} x1=${place(value)} x2=${place(value)}
            y1=${HEIGHT} y2=${HEIGHT + 4} />`)}
      </svg>
    </figure>`;
  };

  // Counts of values (from left to right) and errors (from below to above) as
  // shades.
  page.HeatMap = function ({title, data}) {
    const canvas = useRef(null);
    const {printing, theme, dark} = page.store.state;
    const usable = data && Array.isArray(data.counts) && data.counts.length > 0;
    useLayoutEffect(() => {
      if (!usable) return;
      const columns = data.counts.length;
      const rows = data.counts[0].length;
      const context = canvas.current.getContext('2d');
      canvas.current.width = columns;
      canvas.current.height = rows;
      const most = Math.max(1, ...data.counts.map(
          (row) => row.reduce((a, b) => Math.max(a, b), 0)));
      const from = page.cssColor('--heat-0');
      const to = page.cssColor('--heat-1');
      data.counts.forEach((row, x) => row.forEach((count, y) => {
        if (count === 0) return;
        context.fillStyle = page.mixColors(
            [from, to], Math.log1p(count) / Math.log1p(most));
        context.fillRect(x, rows - 1 - y, 1, 1);
      }));
    }, [data, printing, theme, dark]);
    if (!usable) return null;
    const {value, error, counts} = data;
    const right = value.lowest + value.width * counts.length;
    const top = error.lowest + error.width * counts[0].length;
    return html`<figure class="plot">
      <figcaption>${title}</figcaption>
      <div class="heat">
        <div class="heat-y"><span>${short(top)}</span><span>error</span>
          <span>${short(error.lowest)}</span></div>
        <canvas ref=${canvas} role="img" aria-label=${
          `${title}: values from ${short(value.lowest)} to ${short(right)}, ` +
          `errors from ${short(error.lowest)} to ${short(top)}`}></canvas>
        <div class="heat-x"><span>${short(value.lowest)}</span>
          <span>float value</span><span>${short(right)}</span></div>
      </div>
    </figure>`;
  };

  // Bars with their figures: `entries` is a list of {label, value}. The length
  // is that of the SQNR between the least and the most of them.
  page.Bars = function ({title, entries, unit}) {
    const values = entries.map(({value}) => value).filter(Number.isFinite);
    const most = Math.max(...values, 0);
    const least = Math.min(...values, 0);
    const share = (value) => Number.isNaN(value) || value === -Infinity ? 0 :
        value === Infinity ? 1 : (value - least) / (most - least || 1);
    return html`<figure class="plot">
      <figcaption>${title}</figcaption>
      <div class="bars" role="list">
        ${entries.map(({label, value}, i) => html`<div class="bar-row" key=${i}
            role="listitem">
          <span class="bar-label">${label}</span>
          <span class="bar-track"><span class="bar-fill" style=${{
            width: (100 * share(value)).toFixed(1) + '%'}}></span></span>
          <span class="bar-value">${page.format(value, unit)}</span>
        </div>`)}
      </div>
    </figure>`;
  };

  // A line over some dozen or thousand values, such as the channels' SQNR.
  page.Strip = function ({title, values, unit, name}) {
    const finite = values.filter(Number.isFinite);
    if (finite.length === 0) return null;
    const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const tall = 70;
    const y = (value) => Number.isNaN(value) || value === -Infinity ? tall :
        value === Infinity ? 0 :
        tall - 2 - (value - low) / (high - low || 1) * (tall - 4);
    const x = (index) => values.length < 2 ? WIDTH / 2 :
        index / (values.length - 1) * WIDTH;
    return html`<figure class="plot">
      <figcaption>${title}<span class="space"></span>
        <span class="faint">${page.format(low, unit)} to ${
          page.format(high, unit)} dB</span></figcaption>
      <svg viewBox=${`-4 -4 ${WIDTH + 8} ${tall + FOOT + 4}`} role="img"
          aria-label=${title}>
        <line class="axis" x1="0" x2=${WIDTH} y1=${tall} y2=${tall} />
        ${values.length <= 400 ? values.map((value, i) => html`<circle key=${i}
          class="series-1 dot" cx=${x(i)} cy=${y(value)} r="2">
          <title>${name} ${i}: ${page.format(value, unit)} dB</title>
          </circle>`) : html`<polyline class="series-1 line" points=${
          values.map((value, i) => `${x(i).toFixed(1)},${
            y(value).toFixed(1)}`).join(' ')} />`}
        <text x="0" y=${tall + 14}>${name} 0</text>
        <text x=${WIDTH} y=${tall + 14} text-anchor="end">${
          values.length - 1}</text>
      </svg>
    </figure>`;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

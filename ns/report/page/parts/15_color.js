// Colours for figures: one scale from pale (good) to dark brown (bad), which
// stays a scale for every kind of colour blindness and in grey print.
(function (page) {
  'use strict';

  // From good to bad. After ColorBrewer's YlOrBr; the end is left out, as text
  // on it would have to be white on almost black.
  const GOOD_TO_BAD = ['#fffbe0', '#fef0b4', '#fed976', '#feb24c', '#f1862d',
                       '#d4620f', '#a8470a', '#7a3106'];
  // SQNR from which on colours stay the same, and those that legends name.
  const BEST_DB = 40;
  const WORST_DB = 5;
  const DB_TICKS = [10, 20, 30, 40];
  // From worse to better than an earlier report, through nothing.
  const WORSE_TO_BETTER = ['#b35806', '#e08214', '#fdb863', '#fee0b6',
                           '#f3f3f3', '#c6dbef', '#92bfe0', '#4a93c8',
                           '#1f6aa8'];
  // Okabe and Ito's, for words.
  const WORDS = ['#9fd0f0', '#f5c26b', '#8fd6bd', '#e8b3cd', '#f3ea8f',
                 '#d9a77c', '#b9b9b9', '#a9b8e8'];

  function channels(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  }

  // The colour at `share`, 0 to 1, of a list of colours.
  function mix(colors, share) {
    const place = Math.min(Math.max(share, 0), 1) * (colors.length - 1);
    const index = Math.min(Math.floor(place), colors.length - 2);
    const from = channels(colors[index]);
    const to = channels(colors[index + 1]);
    const part = place - index;
    return '#' + from.map((value, i) =>
      Math.round(value + (to[i] - value) * part).toString(16).padStart(2, '0'),
    ).join('');
  }
  page.mixColors = mix;

  // Black or white, whichever is read better on `hex` (WCAG's contrast).
  page.inkOn = function (hex) {
    const [r, g, b] = channels(hex).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return luminance > 0.18 ? '#111111' : '#ffffff';
  };

  // How bad a number is, from 0 to 1, between `good` and `bad`. Infinite SQNR
  // is the best there is; nan is as bad as can be.
  function badness(number, scale) {
    if (Number.isNaN(number)) return 1;
    const size = scale.worse === 0 ? Math.abs(number) : number;
    if (size === Infinity) return scale.worse < 0 ? 0 : 1;
    if (size === -Infinity) return scale.worse < 0 ? 1 : 0;
    if (scale.bad === scale.good) return 0;
    return (size - scale.good) / (scale.bad - scale.good);
  }

  // A scale for `values` of a column: {color(value), stops, good, bad, ticks}:
  // without ticks, its ends are named. With `changes`, values are differences to
  // an earlier report.
  page.colorScale = function (column, values, changes) {
    const numbers = values.filter((value) => typeof value === 'number');
    const finite = numbers.filter(Number.isFinite);
    const scale = {worse: column.worse, stops: GOOD_TO_BAD};
    if (changes) {
      const largest = finite.reduce(
          (most, value) => Math.max(most, Math.abs(value)), 0) || 1;
      const sign = column.worse < 0 ? 1 : -1;
      scale.bad = -sign * largest;
      scale.good = sign * largest;
      scale.stops = WORSE_TO_BETTER;
      scale.color = (value) => Number.isNaN(value) ? WORSE_TO_BETTER[0] :
          mix(WORSE_TO_BETTER, 0.5 + sign * value / largest / 2);
      return scale;
    }
    if (!column.numeric) {
      const seen = [...new Set(values.filter((value) => value !== undefined))];
      scale.words = seen.slice(0, WORDS.length);
      scale.color = (value) => {
        const place = scale.words.indexOf(value);
        return place < 0 ? '#d0d0d0' : WORDS[place];
      };
      return scale;
    }
    if (column.unit === 'dB' && column.worse < 0) {
      // The same in all reports, so that a colour means one figure.
      Object.assign(scale, {good: BEST_DB, bad: WORST_DB, ticks: DB_TICKS});
      scale.color = (value) => mix(GOOD_TO_BAD, badness(value, scale));
      return scale;
    }
    const sizes = column.worse === 0 ? finite.map(Math.abs) : finite;
    const low = sizes.reduce((a, b) => Math.min(a, b), Infinity);
    const high = sizes.reduce((a, b) => Math.max(a, b), -Infinity);
    scale.good = sizes.length === 0 ? 0 : column.worse < 0 ? high : low;
    scale.bad = sizes.length === 0 ? 0 : column.worse < 0 ? low : high;
    scale.color = (value) => mix(GOOD_TO_BAD, badness(value, scale));
    return scale;
  };

  // The colour of an SQNR, the same wherever it stands; grey for nan.
  page.channelColor = (db) => Number.isNaN(db) ? '#d0d0d0' :
      mix(GOOD_TO_BAD, (BEST_DB - db) / (BEST_DB - WORST_DB));

  // The value of a CSS variable, for what is drawn on a canvas.
  page.cssColor = function (name) {
    return getComputedStyle(document.documentElement)
        .getPropertyValue(name).trim();
  };
})(globalThis.nsPage = globalThis.nsPage || {});

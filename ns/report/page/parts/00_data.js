// The embedded report, its figures as numbers, and figures as text.
//
// Every file of this folder adds to one object, `nsPage`; they are put behind
// one another in the order of their names, page.js last.
(function (page) {
  'use strict';

  // Reads the JSON in the script element `id`; null where there is none.
  page.readEmbedded = function (id) {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  };

  const SPECIAL = {inf: Infinity, '-inf': -Infinity, nan: NaN};

  // Whether `value` is a figure: infinities and nan are strings in the JSON.
  page.isFigure = function (value) {
    return typeof value === 'number' ||
        (typeof value === 'string' && Object.hasOwn(SPECIAL, value));
  };

  // A figure of the JSON as a number; undefined where it is none.
  page.number = function (value) {
    if (typeof value === 'number') return value;
    return page.isFigure(value) ? SPECIAL[value] : undefined;
  };

  // The value at a path of keys, or undefined.
  page.at = function (object, ...keys) {
    for (const key of keys) {
      if (object === null || typeof object !== 'object' ||
          !Object.hasOwn(object, key)) {
        return undefined;
      }
      object = object[key];
    }
    return object;
  };

  // What a column's numbers are, by the last part of its key: it decides how
  // they are written and which end is the bad one.
  const UNITS = [
    [/(^|[._])(sqnr_db|db)$|_db$/, 'dB'],
    [/(^|[._])(share|clipped)$/, 'share'],
    [/cosine$/, 'cosine'],
    [/(^|[._])(elements|outputs|saturated|channels|channels_below_3db|dead_channels|lowest|highest|unused|nan|inf|index|worst_pair_sum)$/,
     'count'],
  ];
  page.unitOf = function (key) {
    const unit = UNITS.find(([pattern]) => pattern.test(key));
    return unit ? unit[1] : '';
  };

  // -1 where lower is worse (SQNR, cosine), 1 where higher is worse, 0 where
  // both ends are bad (a mean error).
  page.worseOf = function (key) {
    if (/cost_db$/.test(key)) return 1;
    if (/_db$|cosine$/.test(key)) return -1;
    return /mean_error$/.test(key) ? 0 : 1;
  };

  // Some significant digits, without an exponent where that is as short.
  function significant(number) {
    const size = Math.abs(number);
    if (number === 0) return '0';
    if (size >= 1e6 || size < 1e-4) return number.toExponential(2);
    return String(Number(number.toPrecision(4)));
  }

  // A number as it is shown. Ratios in dB have one digit, as in the table that
  // `ns compare` prints; no error at all is "exact".
  page.format = function (number, unit) {
    if (number === undefined) return '';
    if (Number.isNaN(number)) return 'nan';
    if (!Number.isFinite(number)) {
      return number < 0 ? '-inf' : unit === 'dB' ? 'exact' : 'inf';
    }
    if (unit === 'dB') return number.toFixed(1);
    if (unit === 'share') {
      const percent = Math.abs(number) * 100;
      if (percent !== 0 && percent < 0.0005) return '<0.001 %';
      return Number((number * 100).toFixed(percent < 1 ? 3 : 1)) + ' %';
    }
    if (unit === 'cosine') return String(Number(number.toFixed(6)));
    if (unit === 'count') return number.toLocaleString('en-US');
    return significant(number);
  };

  // A difference with its sign; the rest as `format` does.
  page.formatChange = function (change, unit) {
    if (change === undefined) return '';
    if (change === 0) return '0';
    const sign = change > 0 ? '+' : change < 0 ? '\u2212' : '';
    const size = Math.abs(change);
    return sign + (size === Infinity ? 'inf' : page.format(size, unit));
  };

  // Now minus then, where equal infinities differ by nothing.
  page.change = function (now, then) {
    if (now === undefined || then === undefined) return undefined;
    return Object.is(now, then) ? 0 : now - then;
  };

  // The end of a long name, which tells more than its beginning.
  page.shorten = function (name, length) {
    const letters = Array.from(name);
    return letters.length <= length ?
        name : '\u2026' + letters.slice(letters.length - length + 1).join('');
  };

  // "net.py:12" of a side of a layer, "float" or "quantized", or undefined where
  // that is not known.
  page.sourceText = function (layer, side) {
    const source = layer.source && layer.source[side];
    if (!source || source.file === undefined) return undefined;
    return source.line === undefined ?
        String(source.file) : source.file + ':' + source.line;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

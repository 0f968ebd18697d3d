// The filter box: words that all have to hold, such as `conv sqnr<25`.
//
//   conv            name, op or path contains it
//   op:conv2d       the column contains it
//   sqnr<25         also <=, >, >=, =, !=, with a number, inf (or exact) or nan
//   -word           does not hold
//   "two words"     quotes keep blanks together
(function (page) {
  'use strict';

  function words(text) {
    return text.match(/(?:[^\s"]+|"[^"]*"?)+/g) || [];
  }

  // Rows have NaN in `=nan`, and nowhere else.
  const COMPARE = {
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
    '=': (a, b) => Object.is(a, b) || a === b,
    '!=': (a, b) => !(Object.is(a, b) || a === b),
  };

  function parseNumber(text) {
    const word = text.toLowerCase();
    if (word === 'exact') return Infinity;
    const special = page.number(word);
    if (typeof special === 'number') return special;
    if (/^[-+]?[\d.]+(e[-+]?\d+)?%$/.test(word)) return parseFloat(word) / 100;
    return word === '' ? undefined : Number(word);
  }

  function contains(row, keys, text) {
    return keys.some((key) => {
      const value = row.get(key);
      return value !== undefined && String(value).toLowerCase().includes(text);
    });
  }

  const TEXT_KEYS = ['name', 'quantized.op', 'float.op', 'float.fqn',
                     'quantized.fqn', 'source'];

  // One word as a function of a row; throws an Error with what is wrong.
  function condition(word, columns) {
    if (word.length > 1 && word.startsWith('-')) {
      const inner = condition(word.slice(1), columns);
      return (row) => !inner(row);
    }
    const parts = /^([\w.#\[\]-]+)(<=|>=|!=|<|>|=|:)(.*)$/s.exec(word);
    const column = parts && page.findColumn(columns, parts[1]);
    const plain = word.replace(/"/g, '').toLowerCase();
    if (!parts || (parts[2] === ':' && !column)) {
      return (row) => contains(row, TEXT_KEYS, plain);
    }
    if (!column) {
      throw new Error(`no column is called '${parts[1]}'; open Columns to ` +
          `see their names`);
    }
    const [, , operator, raw] = parts;
    const text = raw.replace(/"/g, '').toLowerCase();
    if (operator === ':') {
      return (row) => contains(row, [column.key], text);
    }
    if (!column.numeric) {
      if (operator === '=') {
        return (row) => String(row.get(column.key) ?? '').toLowerCase() === text;
      }
      if (operator === '!=') {
        return (row) => String(row.get(column.key) ?? '').toLowerCase() !== text;
      }
      throw new Error(`'${parts[1]}' is text; ask for ${parts[1]}:${text}`);
    }
    const number = parseNumber(text);
    if (number === undefined ||
        (Number.isNaN(number) && text !== 'nan')) {
      throw new Error(`'${parts[1]}${operator}${raw}' needs a number behind ` +
          `'${operator}', such as ${parts[1]}${operator}25`);
    }
    return (row) => {
      const value = row.get(column.key);
      return value !== undefined && COMPARE[operator](value, number);
    };
  }

  // {test, error}: `test` says whether a row passes; words that are wrong are
  // left out of it, and `error` tells about the first of them.
  page.parseFilter = function (text, columns) {
    const conditions = [];
    let error = null;
    for (const word of words(text)) {
      try {
        conditions.push(condition(word, columns));
      } catch (problem) {
        error = error || problem.message;
      }
    }
    return {test: (row) => conditions.every((holds) => holds(row)), error};
  };

  // Orders values of one column for sorting: numbers from -inf to inf, then
  // nan; rows without a value come last in both directions.
  page.compareValues = function (a, b, down) {
    if (a === undefined || b === undefined) {
      return (a === undefined) - (b === undefined);
    }
    let order;
    if (typeof a === 'number' && typeof b === 'number') {
      const nans = Number.isNaN(a) - Number.isNaN(b);
      order = nans || (a < b ? -1 : a > b ? 1 : 0);
    } else {
      order = String(a).localeCompare(String(b), 'en', {numeric: true});
    }
    return down ? -order : order;
  };
})(globalThis.nsPage = globalThis.nsPage || {});

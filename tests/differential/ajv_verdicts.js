// SPDX-License-Identifier: Apache-2.0
//
// Ajv's side of the differential tests: verdicts, a JSON document per line each way, as
// ferrule_verdicts.c answers. Argument: the folder whose node_modules has Ajv.
//
// A letter per instance: v valid, i invalid, e thrown while validating (a stack that overflows).
// One Ajv per dialect is kept; what a schema left in it is taken out again, so that no line
// sees the `$id`s of another.
'use strict';
const path = require('path');
const readline = require('readline');
const from = require('module').createRequire(path.join(path.resolve(process.argv[2]), 'package.json'));

const options = {
  strict: false,
  validateFormats: false,
  unicodeRegExp: true,
  logger: false,
};

const makers = {
  '2020-12': () => new (from('ajv/dist/2020').default)(options),
  '2019-09': () => new (from('ajv/dist/2019').default)(options),
  'draft-07': () => new (from('ajv').default)(options),
  'draft-06': () => {
    const ajv = new (from('ajv').default)(options);
    ajv.addMetaSchema(from('ajv/dist/refs/json-schema-draft-06.json'));
    ajv.opts.defaultMeta = 'http://json-schema.org/draft-06/schema';
    return ajv;
  },
  'draft-04': () => new (from('ajv-draft-04').default)(options),
};

const keeps = new Map();

function keep(dialect) {
  if (!keeps.has(dialect)) {
    const ajv = makers[dialect]();
    ajv.compile({}); // The meta-schema is compiled with it, and stays.
    const known = { refs: new Set(Object.keys(ajv.refs)), schemas: new Set(Object.keys(ajv.schemas)) };
    keeps.set(dialect, { ajv, known });
  }
  return keeps.get(dialect);
}

function forget({ ajv, known }, schema) {
  ajv._cache.delete(schema);
  for (const part of ['refs', 'schemas']) {
    for (const name of Object.keys(ajv[part])) if (!known[part].has(name)) delete ajv[part][name];
  }
}

function verdict(validate, instance) {
  try {
    return validate(instance) ? 'v' : 'i';
  } catch (error) {
    return 'e';
  }
}

function answer(line) {
  const { dialect, schema, instances } = JSON.parse(line);
  const kept = keep(dialect);
  try {
    const validate = kept.ajv.compile(schema);
    return { verdicts: instances.map((instance) => verdict(validate, instance)).join('') };
  } catch (error) {
    return { refused: String(error.message).slice(0, 500) };
  } finally {
    forget(kept, schema);
  }
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  process.stdout.write(JSON.stringify(answer(line)) + '\n');
});

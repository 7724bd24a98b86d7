// SPDX-License-Identifier: Apache-2.0
//
// Validating with the peers that run in node: ajv and ata-validator. As bench_validate does, one
// JSON object per line says one figure.
//
//     node node_peers.mjs MODULES ajv|ata FOLDER SET WAY...
//
// MODULES is the folder with node_modules, FOLDER the one with schema.json and its instances,
// SET its name in the figures. What favours a peer and costs us nothing is done for it: texts are
// strings already, Ajv is made once and only compiles, generated code is warmed up first.

import { readFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const PIECE_MS = 0.25;
const TURNS_MIN = 5;
const TURNS_MAX = 60;
const WARM_MS = 150; // before the first turn, so that what is timed is optimised
const WAY_MS = 250; // no further turn of a way past this

const [modules, engine, folder, set, ...ways] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));

function lines(name) {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").filter((line) => line.length > 0);
}

const schemaText = readFileSync(join(folder, "schema.json"), "utf8");
const texts = lines("instances.jsonl");
const good = texts.map((text) => JSON.parse(text));
const bad = lines("invalid.jsonl").map((text) => JSON.parse(text));
// ata remembers its last text and answers the same one from memory, which no stream of calls
// would meet: a lone text takes turns with itself and a blank.
if (texts.length === 1) texts.push(texts[0] + " ");

function say(figure) {
  process.stdout.write(JSON.stringify({ engine, set, ...figure }) + "\n");
}

// A schema that no cache has seen: the same but for a comment.
let fresh = 0;
function freshSchema() {
  const schema = JSON.parse(schemaText);
  if (typeof schema === "object") schema.$comment = `schema ${fresh++}`;
  return schema;
}

// ---- the engines: each gives { verdict, findings, texts: {name: f}, compile } ----------------

function ajv() {
  const uri = JSON.parse(schemaText).$schema ?? "";
  const draft = ["draft-04", "draft-06", "draft-07", "2019-09"].find((name) => uri.includes(name));
  const from = { "draft-04": "ajv-draft-04", "draft-06": "ajv", "draft-07": "ajv", "2019-09": "ajv/dist/2019" };
  const module = require(from[draft] ?? "ajv/dist/2020");
  const Ajv = module.default ?? module;
  const options = { strict: false, logger: false, validateFormats: false };
  const make = (more) => {
    const made = new Ajv({ ...options, ...more });
    if (draft === "draft-06") made.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
    return made;
  };
  const verdict = make({}).compile(JSON.parse(schemaText));
  const all = make({ allErrors: true }).compile(JSON.parse(schemaText));
  const compiler = make({});
  return {
    verdict,
    findings: (value) => (all(value) ? 0 : all.errors.length),
    texts: { "JSON.parse": (text) => verdict(JSON.parse(text)) },
    compile: () => {
      const schema = freshSchema();
      const ready = compiler.compile(schema)(good[0]);
      compiler.removeSchema(schema);
      return ready;
    },
  };
}

function ata() {
  const { Validator } = require("ata-validator");
  const options = { assertFormat: false, useDefaults: false };
  const v = new Validator(JSON.parse(schemaText), options);
  // Its plain list is the quicker one; the rich one adds what it expected and a suggestion.
  const list = new Validator(JSON.parse(schemaText), { ...options, richErrors: false });
  return {
    verdict: (value) => v.isValidObject(value),
    findings: (value) => list.validate(value).errors.length,
    texts: {
      "JSON.parse": (text) => v.isValidObject(JSON.parse(text)),
      isValidJSON: (text) => v.isValidJSON(text),
    },
    // It compiles when it is asked the first time.
    compile: () => new Validator(freshSchema(), options).isValidObject(good[0]),
  };
}

// ---- timing -------------------------------------------------------------------------------------

function pass(ask, values) {
  let valid = 0;
  for (let i = 0; i < values.length; i++) if (ask(values[i])) valid++;
  return valid;
}

function piece(ask, values, from, to, passes) {
  let valid = 0;
  for (let p = 0; p < passes; p++) for (let i = from; i < to; i++) if (ask(values[i])) valid++;
  return valid;
}

// ns per value: the sum of the quickest time of each piece of a pass, as bench_validate has it.
function quickest(ask, values) {
  const begun = performance.now();
  let warm = 0;
  do {
    piece(ask, values, 0, values.length, 1);
    warm++;
  } while (performance.now() - begun < WARM_MS);
  const once = (performance.now() - begun) / warm;
  const passes = once < PIECE_MS ? Math.ceil(PIECE_MS / once) : 1;
  const size = Math.max(1, Math.min(values.length, Math.ceil((values.length * PIECE_MS) / once)));
  const best = new Float64Array(Math.ceil(values.length / size)).fill(Infinity);
  const from = performance.now();
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (turn >= TURNS_MIN && performance.now() - from > WAY_MS) break;
    for (let at = 0, i = 0; i < values.length; i += size, at++) {
      const start = performance.now();
      piece(ask, values, i, Math.min(values.length, i + size), passes);
      best[at] = Math.min(best[at], performance.now() - start);
    }
  }
  return (best.reduce((sum, each) => sum + each, 0) * 1e6) / (passes * values.length);
}

function timeText(e, wrong) {
  let best = { ns: Infinity };
  for (const [by, ask] of Object.entries(e.texts)) {
    const differs = texts.length - pass(ask, texts);
    if (differs && !wrong) continue; // this path of it is not right
    const ns = quickest(ask, texts);
    if (ns < best.ns) best = { ns, wrong: differs, by };
  }
  say({ way: "text", ...best });
}

function time(way, e, wrong) {
  if (way === "valid") say({ way, ns: quickest(e.verdict, good), wrong: wrong.good });
  if (way === "invalid" && bad.length) say({ way, ns: quickest(e.verdict, bad), wrong: wrong.bad });
  if (way === "findings" && bad.length) {
    const silent = bad.length - pass(e.findings, bad);
    say({ way, ns: quickest(e.findings, bad), wrong: silent });
  }
  if (way === "text") timeText(e, wrong.good);
  if (way === "compile") say({ way, ns: quickest(e.compile, [0]), wrong: 0 });
}

let e;
try {
  e = engine === "ajv" ? ajv() : ata();
  const wrong = { good: good.length - pass(e.verdict, good), bad: pass(e.verdict, bad) };
  for (const way of ways) time(way, e, wrong);
} catch (error) {
  say({ way: e ? "valid" : "compile", error: String(error.message ?? error).slice(0, 200) });
}

// SPDX-License-Identifier: Apache-2.0
// node node_peers.mjs FOLDER ENGINE TOOLS.jsonl QUERIES.jsonl COUNT ASKED TURNS: MiniSearch or Orama over the same
// tools and queries as bench_search; prints lines of JSON.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [folder, engine, toolsPath, queriesPath, countText, askedText, turns] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(folder), "x.js"));
const count = Number(countText);
const lines = (name, max) => fs.readFileSync(name, "utf8").split("\n").filter(Boolean).slice(0, max).map((l) => JSON.parse(l));
const split = (s) => (s || "").replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_\-.\/]/g, " ");

function params(schema, out, depth = 0) {
  if (!schema || typeof schema !== "object" || depth > 8) return out;
  for (const [key, value] of Object.entries(schema.properties || {})) {
    out.push(split(key), (value && typeof value.description === "string" && value.description) || "");
    params(value, out, depth + 1);
  }
  return out;
}

const docs = lines(toolsPath, count).map((t, id) => ({
  id: String(id), name: split(t.name), namespace: split(t.namespace), tags: (t.tags || []).join(" "),
  description: t.description || "", params: params(t.inputSchema, []).join(" "),
}));
const queries = lines(queriesPath, Number(askedText)).map((q) => q.query);
const fields = ["name", "namespace", "tags", "description", "params"];
// What passed since, by the clock or of the processor, whichever is less: others may be at work besides.
const now = () => [Number(process.hrtime.bigint()) / 1e3, process.cpuUsage()];
const since = ([clock, used]) => {
  const more = process.cpuUsage(used);
  return Math.min(Number(process.hrtime.bigint()) / 1e3 - clock, more.user + more.system);
};

let ask;
const start = now();
if (engine === "minisearch") {
  const MiniSearch = require("minisearch");
  const index = new (MiniSearch.default || MiniSearch)({ fields });
  index.addAll(docs);
  ask = async (q) => index.search(q).slice(0, 10);
} else {
  const { create, insertMultiple, search } = await import(require.resolve("@orama/orama"));
  const db = await create({ schema: Object.fromEntries(fields.map((f) => [f, "string"])) });
  await insertMultiple(db, docs);
  ask = async (q) => search(db, { term: q, limit: 10 });
}
const built = since(start);
console.log(JSON.stringify({ engine, tools: docs.length, tools_per_s: Math.round((docs.length * 1e6) / built) }));
const times = queries.map(() => Infinity);
for (let turn = 0; turn < Number(turns); turn++) {
  for (const [i, q] of queries.entries()) {
    const from = now();
    await ask(q);
    times[i] = Math.min(times[i], since(from));
  }
}
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
console.log(JSON.stringify({ engine, tools: docs.length, p50_us: at(0.5), p95_us: at(0.95), p99_us: at(0.99) }));

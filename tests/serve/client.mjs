// SPDX-License-Identifier: Apache-2.0
// A real client, SDK 1.x or 2.x: node client.mjs sdk1|sdk2|sdk2-modern stdio FERRULE CONFIG | http URL TOKEN
// Prints one line of JSON: what it saw.
const [which, carrier, ...rest] = process.argv.slice(2);
const one = which === "sdk1";
const home = process.env.MCP_CLIENTS + "/node_modules/@modelcontextprotocol/";
const load = (path) => import("file://" + home + path);
const { Client } = one ? await load("sdk/dist/esm/client/index.js") : await load("client/dist/index.mjs");
let transport;
if (carrier === "stdio") {
  const { StdioClientTransport } = one ? await load("sdk/dist/esm/client/stdio.js") : await load("client/dist/stdio.mjs");
  transport = new StdioClientTransport({ command: rest[0], args: ["serve", "--stdio", "--config", rest[1], "--expose", "b:*"] });
} else {
  const { StreamableHTTPClientTransport } = one ? await load("sdk/dist/esm/client/streamableHttp.js") : await load("client/dist/index.mjs");
  transport = new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: "Bearer " + rest[1] } } });
}
const options = which === "sdk2-modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "test", version: "1" }, options);
await client.connect(transport);
const tools = await client.listTools();
const call = (name, args, more) => one ? client.callTool({ name, arguments: args }, undefined, more) : client.callTool({ name, arguments: args }, more);
const found = await call("search_tools", { query: "count words" });
const ran = await call("run_tool", { id: "text:count", args: { text: "a b c" } });
const wrong = await call("run_tool", { id: "text:count", args: {} });
const progress = [];
const slow = await call("slow", {}, { onprogress: (p) => progress.push(p.progress) });
let unknown = 0;
try {
  await call("nothing", {});
} catch (e) {
  unknown = e.code;
}
let cancelled = false;
const stop = new AbortController();
setTimeout(() => stop.abort(), 300);
try {
  await call("slow", { wait: true }, { signal: stop.signal });
} catch {
  cancelled = true;
}
console.log(JSON.stringify({
  tools: tools.tools.map((t) => t.name),
  found: found.structuredContent.tools[0].id,
  words: ran.structuredContent.result.words,
  wrong: wrong.isError === true && wrong.content[0].text.startsWith("RequiredMissing"),
  slow: slow.content[0].text, progress, unknown, cancelled,
  after: (await call("exact", {})).content.length,
}));
await client.close();

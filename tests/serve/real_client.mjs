// SPDX-License-Identifier: Apache-2.0
// A real client against a gateway with real servers behind it: node real_client.mjs sdk1|sdk2|sdk2-modern stdio FERRULE CONFIG | http URL TOKEN
// Prints one line of JSON: what it saw.
const [which, carrier, ...rest] = process.argv.slice(2);
const one = which === "sdk1";
const home = process.env.MCP_CLIENTS + "/node_modules/@modelcontextprotocol/";
const load = (path) => import("file://" + home + path);
const { Client } = one ? await load("sdk/dist/esm/client/index.js") : await load("client/dist/index.mjs");
let transport;
if (carrier === "stdio") {
  const { StdioClientTransport } = one ? await load("sdk/dist/esm/client/stdio.js") : await load("client/dist/stdio.mjs");
  transport = new StdioClientTransport({ command: rest[0], args: ["serve", "--stdio", "--attach", "never", "--mode", "tools", "--config", rest[1]], env: process.env });
} else {
  const { StreamableHTTPClientTransport } = one ? await load("sdk/dist/esm/client/streamableHttp.js") : await load("client/dist/index.mjs");
  transport = new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: "Bearer " + rest[1] } } });
}
const options = which === "sdk2-modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "test", version: "1" }, options);
await client.connect(transport);
const tools = (await client.listTools()).tools.map((t) => t.name);
const call = (name, args) => one ? client.callTool({ name, arguments: args }, undefined) : client.callTool({ name, arguments: args });
const text = async (name, args) => (await call(name, args)).content[0].text;
const seen = {
  here: await text("everything__echo", { message: "here" }),
  there: await text("remote__echo", { message: "there" }),
  sum: await text("everything__get-sum", { a: 2, b: 3 }),
  file: (await text("read_text_file", { path: process.env.REAL_FILES + "/hello.txt" })).trim(),
  graph: JSON.parse(await text("read_graph", {})).entities.map((e) => e.name),
  thought: JSON.parse(await text("sequentialthinking", { thought: "x", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })).thoughtNumber,
  prompt: (await client.getPrompt({ name: "everything__simple-prompt" })).messages.length,
};
const prompts = (await client.listPrompts()).prompts.map((p) => p.name);
const resources = (await client.listResources()).resources.map((r) => r.uri);
seen.collide = ["everything__echo", "remote__echo", "read_text_file", "create_entities", "sequentialthinking"].every((n) => tools.includes(n)) && !tools.includes("echo");
seen.prompts = ["everything__simple-prompt", "remote__simple-prompt"].every((n) => prompts.includes(n));
seen.resources = resources.length > 0 && new Set(resources).size === resources.length;
if (resources.length) seen.read = (await client.readResource({ uri: resources[0] })).contents.length > 0;
console.log(JSON.stringify(seen));
await client.close();

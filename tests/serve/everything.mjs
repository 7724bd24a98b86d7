// SPDX-License-Identifier: Apache-2.0
// A real client that answers what it is asked, SDK 1.x or 2.x: node everything.mjs sdk1|sdk2-modern stdio COMMAND... | http URL
// Prints one line of JSON: what it was asked, and what came of it.
const [which, carrier, ...rest] = process.argv.slice(2);
const one = which === "sdk1";
const home = process.env.MCP_CLIENTS + "/node_modules/@modelcontextprotocol/";
const load = (path) => import("file://" + home + path);
const { Client } = one ? await load("sdk/dist/esm/client/index.js") : await load("client/dist/index.mjs");
let transport;
if (carrier === "stdio") {
  const { StdioClientTransport } = one ? await load("sdk/dist/esm/client/stdio.js") : await load("client/dist/stdio.mjs");
  transport = new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env });
} else {
  const { StreamableHTTPClientTransport } = one ? await load("sdk/dist/esm/client/streamableHttp.js") : await load("client/dist/index.mjs");
  transport = new StreamableHTTPClientTransport(new URL(rest[0]));
}
const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
const client = new Client({ name: "test", version: "1" }, one ? { capabilities } : { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
const asked = [];
const answers = {
  "elicitation/create": { action: "accept", content: { name: "Ann", check: true } },
  "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "word" } },
  "roots/list": { roots: [{ uri: "file:///tmp", name: "tmp" }] },
};
const types = one ? await load("sdk/dist/esm/types.js") : null;
const schemas = one ? { "elicitation/create": types.ElicitRequestSchema, "sampling/createMessage": types.CreateMessageRequestSchema, "roots/list": types.ListRootsRequestSchema } : {};
for (const [method, answer] of Object.entries(answers))
  client.setRequestHandler(one ? schemas[method] : method, async () => (asked.push(method), answer));
await client.connect(transport);
const said = async (name, args) => (await client.callTool({ name, arguments: args })).content.map((c) => c.text).join("\n");
const out = {
  elicitation: (await said("trigger-elicitation-request", {})).includes("Ann"),
  sampling: (await said("trigger-sampling-request", { prompt: "x", maxTokens: 5 })).includes("word"),
  roots: (await said("get-roots-list", {})).includes("file:///tmp"),
};
console.log(JSON.stringify({ ...out, asked: [...new Set(asked)].sort() }));
await client.close();
process.exit(0);

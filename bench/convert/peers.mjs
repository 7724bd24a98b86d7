// SPDX-License-Identifier: Apache-2.0
// Converters from npm, each asked for the schema it would send. In: a tool {"name", "description", "inputSchema"}
// per line. Out: {"converter", "tool", "schema"} or {"converter", "tool", "error"} per line. SDKs that convert
// inside a request are given a fetch that keeps the request and sends nothing.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import readline from "node:readline";

const folder = path.resolve(process.argv[2]);
const require = createRequire(path.join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const loadFile = (file) => import(pathToFileURL(path.join(folder, "node_modules", file)).href);

/** The body of the request that `send` would make with this fetch. */
async function requestOf(send) {
  let body;
  const fetch = async (_url, init) => {
    body = JSON.parse(init.body);
    return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
  };
  try {
    await send(fetch);
  } catch (error) {
    if (!body) throw error;
  }
  if (!body) throw new Error("no request was made");
  return body;
}

const prompt = [{ role: "user", content: [{ type: "text", text: "x" }] }];
const aiTool = (tool) => ({ type: "function", name: tool.name, description: tool.description, inputSchema: tool.inputSchema });

/** Gemini takes a schema in either of two fields. */
function declared(body) {
  const { parameters, parametersJsonSchema } = body.tools[0].functionDeclarations[0];
  return parameters ?? parametersJsonSchema ?? { type: "object", properties: {} };
}

const converters = {
  "anthropic-sdk": async () => {
    const { transformJSONSchema } = await loadFile("@anthropic-ai/sdk/lib/transform-json-schema.mjs");
    return (tool) => transformJSONSchema(tool.inputSchema);
  },
  "openai-sdk": async () => {
    const { toStrictJsonSchema } = await loadFile("openai/lib/transform.mjs");
    return (tool) => toStrictJsonSchema(tool.inputSchema);
  },
  "ai-sdk-google": async () => {
    const { createGoogleGenerativeAI } = await load("@ai-sdk/google");
    return async (tool) => {
      const body = await requestOf((fetch) =>
        createGoogleGenerativeAI({ apiKey: "none", fetch })("gemini-2.5-flash").doGenerate({ prompt, tools: [aiTool(tool)] }));
      return declared(body);
    };
  },
  "ai-sdk-anthropic": async () => {
    const { createAnthropic } = await load("@ai-sdk/anthropic");
    return async (tool) => {
      const body = await requestOf((fetch) =>
        createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5").doGenerate({
          prompt,
          responseFormat: { type: "json", schema: tool.inputSchema },
          providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
        }));
      return (body.output_format ?? body.output_config?.format).schema;
    };
  },
  "google-genai": async () => {
    const { GoogleGenAI } = await load("@google/genai");
    return async (tool) => {
      const ours = globalThis.fetch;
      try {
        const body = await requestOf((fetch) => {
          globalThis.fetch = fetch;
          return new GoogleGenAI({ apiKey: "none" }).models.generateContent({
            model: "gemini-2.5-flash",
            contents: "x",
            config: { tools: [{ functionDeclarations: [{ name: tool.name, description: tool.description, parameters: tool.inputSchema }] }] },
          });
        });
        return declared(body);
      } finally {
        globalThis.fetch = ours;
      }
    };
  },
  "langchain-google": async () => {
    const { jsonSchemaToGeminiParameters } = await loadFile("@langchain/google-genai/dist/utils/zod_to_genai_parameters.js");
    return (tool) => jsonSchemaToGeminiParameters(tool.inputSchema);
  },
  "mastra-openai": () => mastra("OpenAISchemaCompatLayer", "openai", "gpt-4o"),
  "mastra-google": () => mastra("GoogleSchemaCompatLayer", "google", "gemini-2.5-flash"),
};

async function mastra(layer, provider, modelId) {
  const module = await load("@mastra/schema-compat");
  const compat = new module[layer]({ provider, modelId, supportsStructuredOutputs: false });
  return (tool) => module.applyCompatLayer({ schema: tool.inputSchema, compatLayers: [compat], mode: "jsonSchema" });
}

const ready = {};
for (const [name, make] of Object.entries(converters)) {
  try {
    ready[name] = await make();
  } catch (error) {
    console.log(JSON.stringify({ converter: name, missing: String(error).slice(0, 300) }));
  }
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  for (const [name, convert] of Object.entries(ready)) {
    const tool = JSON.parse(line);
    const said = { converter: name, tool: tool.name };
    try {
      said.schema = await convert(tool);
      if (said.schema === undefined) said.error = "gave no schema";
    } catch (error) {
      said.error = String(error?.message ?? error).slice(0, 300);
    }
    console.log(JSON.stringify(said));
  }
}

// SPDX-License-Identifier: Apache-2.0
// What code finds when it begins: `tools`, `console`, timers. Called once, with functions of the worker:
// ask(op, members) gives a promise of the answer, print(stream, text), setTimer(function, ms) and clearTimer(number).
(function (ask, print, setTimer, clearTimer) {
  "use strict";

  class ToolError extends Error {
    constructor(error, tool, stack) {
      super(error.message);
      this.name = "ToolError";
      this.code = error.code;
      this.category = error.category;
      this.retryable = error.retryable;
      if (error.details !== undefined) this.details = error.details;
      if (tool !== undefined) this.tool = tool;
      Object.defineProperty(this, "stack", { value: stack, configurable: true, writable: true });
    }
  }

  // An answer that is an error is thrown where the tool was called.
  function call(op, members) {
    const stack = new Error().stack;
    return ask(op, members).catch((error) => {
      throw new ToolError(error, members.tool, stack);
    });
  }

  function chosen(from, ...names) {
    const out = {};
    for (const name of names) if (from?.[name] !== undefined) out[name] = from[name];
    return out;
  }

  function run(tool, args) {
    return call("run", { tool: String(tool), args: args === undefined || args === null ? {} : args });
  }

  const verbs = {
    run,
    search: (query, options) => call("search", { query: String(query), ...chosen(options, "namespace", "limit") }),
    list: (options) => call("list", chosen(options, "namespace", "limit")),
    namespaces: (options) => call("namespaces", chosen(options, "limit")),
    describe: (tool, level) => call("describe", { tool: String(tool), ...(level === undefined ? {} : { level: String(level) }) }),
    chain: (steps, input) => call("chain", { steps, ...(input === undefined ? {} : { input }) }),
  };

  // tools.<namespace>.<name>(args). Nothing here is a promise: `then` is looked for by whoever awaits.
  const namespaces = new Map();
  function namespace(ns) {
    if (!namespaces.has(ns)) {
      namespaces.set(ns, new Proxy(Object.create(null), {
        get: (_, name) => typeof name !== "string" || name === "then" ? undefined : (args) => run(`${ns}:${name}`, args),
        set: () => false,
      }));
    }
    return namespaces.get(ns);
  }
  const tools = new Proxy(verbs, {
    get: (_, name) => typeof name !== "string" || name === "then" ? undefined
      : Object.hasOwn(verbs, name) ? verbs[name] : namespace(name),
    set: () => false,
    has: () => true,
  });

  function shown(value, depth, seen) {
    if (typeof value === "string") return depth ? JSON.stringify(value) : value;
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}${depth ? "" : "\n" + (value.stack ?? "")}`.trimEnd();
    if (seen.includes(value)) return "[Circular]";
    if (depth > 4) return Array.isArray(value) ? "[Array]" : "[Object]";
    const below = (v) => shown(v, depth + 1, [...seen, value]);
    if (Array.isArray(value)) return `[${value.slice(0, 100).map(below).join(", ")}${value.length > 100 ? `, ... ${value.length - 100} more` : ""}]`;
    if (value instanceof Map) return `Map(${value.size}) {${[...value].map(([k, v]) => `${below(k)} => ${below(v)}`).join(", ")}}`;
    if (value instanceof Set) return `Set(${value.size}) {${[...value].map(below).join(", ")}}`;
    if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
    if (value instanceof Promise) return "Promise {}";
    const keys = Object.keys(value);
    const members = keys.slice(0, 100).map((k) => `${/^[A-Za-z_$][\w$]*$/.test(k) ? k : JSON.stringify(k)}: ${below(value[k])}`);
    return members.length ? `{ ${members.join(", ")}${keys.length > 100 ? ", ..." : ""} }` : "{}";
  }

  const say = (stream) => (...values) => print(stream, values.map((v) => shown(v, 0, [])).join(" ") + "\n");
  const out = say("stdout"), err = say("stderr");
  const console = {
    log: out, info: out, debug: out, dir: out, table: out, warn: err, error: err,
    trace: (...values) => err("Trace:", ...values),
    assert: (holds, ...values) => { if (!holds) err("Assertion failed:", ...values); },
    group: out, groupEnd: () => {}, time: () => {}, timeEnd: () => {},
  };

  const globals = {
    tools, console, ToolError,
    setTimeout: (f, ms, ...args) => setTimer(() => f(...args), Math.max(0, Number(ms) || 0)),
    clearTimeout: (n) => clearTimer(Number(n) || 0),
    queueMicrotask: (f) => { Promise.resolve().then(f); },
  };
  for (const name of Object.keys(globals))
    Object.defineProperty(globalThis, name, { value: globals[name], configurable: true, writable: true, enumerable: false });
})

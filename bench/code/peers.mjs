// SPDX-License-Identifier: Apache-2.0
// peers.mjs FOLDER PEER RUNS: a program with one call of a function of the host, in a new engine each time; prints the times in ms.
import { createRequire } from "node:module";
import path from "node:path";

const [folder, peer, runs] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(folder), "package.json"));
const count = (text) => text.split(" ").length;

const peers = {
  "quickjs-emscripten": async () => {
    const QuickJS = await require("quickjs-emscripten").getQuickJS();
    return async () => {
      const vm = QuickJS.newContext();
      const f = vm.newFunction("count", (t) => vm.newNumber(count(vm.getString(t))));
      vm.setProp(vm.global, "count", f);
      f.dispose();
      const r = vm.unwrapResult(vm.evalCode("count('a b')"));
      const value = vm.getNumber(r);
      r.dispose();
      vm.dispose();
      return value;
    };
  },
  "isolated-vm": async () => {
    const ivm = require("isolated-vm");
    return async () => {
      const isolate = new ivm.Isolate({ memoryLimit: 64 });
      const context = await isolate.createContext();
      await context.global.set("count", new ivm.Callback(count));
      const value = await (await isolate.compileScript("count('a b')")).run(context);
      isolate.dispose();
      return value;
    };
  },
};

const run = await peers[peer]();
const times = [];
for (let i = 0; i < Number(runs); i++) {
  const began = performance.now();
  if ((await run()) !== 2) throw new Error("another value");
  times.push(performance.now() - began);
}
console.log(JSON.stringify(times));
process.exit(0);

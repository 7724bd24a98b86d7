// SPDX-License-Identifier: Apache-2.0
// Runs a WASI module by node: its folder is /work, its descriptors are those of this program.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const { TOOL_DEADLINE_MS } = process.env;
const wasi = new WASI({ version: 'preview1', args: ['main'], env: { TOOL_DEADLINE_MS }, preopens: { '/work': '/work' }, returnOnExit: true });
const module = await WebAssembly.compile(readFileSync('/code/main.wasm'));
const imports = wasi.getImportObject?.() ?? { wasi_snapshot_preview1: wasi.wasiImport };
process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));

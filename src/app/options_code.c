/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that run several calls: chains and code. */
#include "option_rows.h"
#include "options.h"

const fer_option fer_chain_options[] = {
    STATION,
    {"input", 'I', "JSON", NULL, "what references to `input` lead into"},
    {"idempotency-key", 'k', "KEY", NULL, "each step that takes a key gets one made of this"},
    {"dry-run", 'n', NULL, NULL, "check the whole chain, and run nothing"},
    {"stream", 's', NULL, NULL, "print events as they come, a JSON object on each line"},
    DEADLINE,
    {"json", 0, NULL, NULL, "print the result of every step"},
    METRICS,
    END,
};
const fer_option fer_exec_options[] = {
    STATION,
    {"runtime", 'r', "NAME", NULL,
     "what runs it: js, wasm, or one of the configuration (default: wasm for a module, else js)"},
    {"limits", 'L', "NAME=N,...", NULL,
     "lower limits: timeMs, cpuMs, memoryBytes, processes, outputBytes, diskBytes, valueBytes, toolCalls, "
     "chainSteps"},
    {"check", 'n', NULL, NULL, "read the program, tell which tools it names, and run nothing"},
    {"allow-degraded", 0, NULL, NULL,
     "run it even where this machine lacks a layer of the sandbox; the result says so"},
    {"store", 0, NULL, NULL, "keep the value, which may be large, and print the handle of it"},
    DEADLINE,
    {"json", 0, NULL, NULL, "print the whole result, and nothing that the program prints"},
    METRICS,
    END,
};
const fer_option fer_result_options[] = {
    STATION,
    {"at", 'a', "POINTER", NULL, "which part of the value, a JSON Pointer (default: all)"},
    {"from", 'f', "N", NULL, "from this item, member or character of it on (default 0)"},
    {"size", 's', "BYTES", NULL, "how much to show, about (default 24576)"},
    END,
};

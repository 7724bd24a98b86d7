/* SPDX-License-Identifier: Apache-2.0 */
/* scribe FOLDER FIRST CALLS [ANCHOR]: writes calls of two tenants into a ledger, for tests of the
 * commands. */
#include <stdio.h>
#include <stdlib.h>

#include "ledger.h"
#include "str.h"

static void put(fer_ledger_port *p, fer_ledger_type type, const char *tenant, const char *body)
{
    fer_err err;
    fer_ledger_record r = {type, fer_str_of(tenant), fer_str_of(body)};
    if (!fer_ledger_append(p, &r, NULL, NULL, &err)) return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

int main(int argc, char **argv)
{
    fer_ledger *l;
    fer_ledger_port *p;
    fer_err err;
    uv_loop_t loop;
    uint64_t first, calls;
    char body[256];
    if (argc < 4 || !fer_parse_u64(fer_str_of(argv[2]), &first) ||
        !fer_parse_u64(fer_str_of(argv[3]), &calls))
        return 2;
    fer_ledger_options o = {.folder = argv[1],
                            .anchor = argc > 4 ? argv[4] : NULL,
                            .segment_bytes = 256 << 10,
                            .end_bytes = 2048};
    uv_loop_init(&loop);
    if (fer_ledger_open(&o, &l, NULL, &err) || fer_ledger_attach(l, &loop, &p, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (uint64_t i = first; i < first + calls; i++) {
        const char *tenant = i % 2 ? "acme" : "zeta",
                   *tool = i % 3 ? "mail:send" : "=cmd|' /C calc'!A0";
        snprintf(
            body, sizeof body,
            "{\"callId\":\"c%llu\",\"correlationId\":\"r%llu\",\"effect\":\"Pure\",\"tool\":\"%s\"}",
            (unsigned long long)i, (unsigned long long)i / 2, tool);
        put(p, FER_LEDGER_BEGIN, tenant, body);
        snprintf(
            body, sizeof body,
            "{\"attempts\":1,\"callId\":\"c%llu\",\"correlationId\":\"r%llu\",\"durationMs\":1.5,\"status\":\"%s\",\"tool\":\"%s\"}",
            (unsigned long long)i, (unsigned long long)i / 2, i % 5 ? "Ok" : "Error", tool);
        put(p, FER_LEDGER_END, tenant, body);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    fer_ledger_detach(p);
    int bad = fer_ledger_close(l, &err) != FER_OK;
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole gateway in a program: the servers, commands and APIs of a configuration, its policies and
 * its ledger, and a tool of them called.
 *
 *     cc run_tools.c $(pkg-config --cflags --libs ferrule) -o run_tools
 *     ./run_tools ferrule.yaml lines:sort '{"text": "b\na"}'
 */
#include <ferrule/ferrule.h>
#include <stdio.h>

static void tell(void *context, fer_str line)
{
    (void)context;
    fprintf(stderr, "%.*s\n", (int)line.len, line.ptr);
}

int main(int argc, char **argv)
{
    fer_err err = {.code = FER_OK};
    fer_station *s = NULL;
    fer_envelope e;
    fer_str json;
    fer_arena *a = fer_arena_new(0);
    if (argc != 4) {
        fprintf(stderr, "usage: run_tools CONFIGURATION TOOL ARGUMENTS\n");
        return 2;
    }
    fer_station_options options = {.config = argv[1], .tell = tell};
    fer_code code = a ? fer_station_open(&options, &s, &err) : FER_OUT_OF_MEMORY;
    if (!code) {
        /* Servers are asked for their tools when one is wanted that nobody knows. */
        fer_station_ask(s, fer_str_of(argv[2]));
        fer_station_remark(s);
        code = fer_gateway_ask(a, fer_station_gateway(s), fer_str_of(argv[2]), fer_str_of(argv[3]),
                               NULL, &e, &err);
    }
    if (!code) code = fer_envelope_write(a, &e, false, &json, &err);
    if (!code) printf("%.*s\n", (int)json.len, json.ptr);
    else fprintf(stderr, "%s\n", err.message);
    int status = code ? 70 : e.status == FER_STATUS_OK ? 0 : 1;
    fer_station_close(s);
    fer_arena_free(a);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Stations for programs that are not the command (ferrule/station.h). */
#include "errors.h"
#include "station.h"
#include "sys.h"

fer_code fer_station_open(const fer_station_options *options, fer_station **out, fer_err *err)
{
    *out = NULL;
    if (!options) return fer_fail(err, FER_BAD_USAGE, "fer_station_open needs options");
    fer_station *s = fer_sys_malloc(sizeof *s);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    /* Standard error is the program's own: calls are told where the configuration names a file. */
    fer_code code =
        fer_station_init(s,
                         &(struct fer_station_wants){.config = options->config,
                                                     .functions = options->functions,
                                                     .function_count = options->function_count,
                                                     .log = {.fd = -1, .level = FER_LOG_WARN},
                                                     .tell = options->tell,
                                                     .context = options->context,
                                                     .search = options->search,
                                                     .loop = options->loop},
                         err);
    if (code) {
        fer_sys_free(s);
        return code;
    }
    fer_station_remark(s); /* what could not be set up */
    *out = s;
    return FER_OK;
}

void fer_station_close(fer_station *s)
{
    if (!s) return;
    fer_station_deinit(s);
    fer_sys_free(s);
}

fer_gateway *fer_station_gateway(const fer_station *s)
{
    return s->gateway;
}

fer_catalog *fer_station_catalog(const fer_station *s)
{
    return s->catalog;
}

size_t fer_station_places(const fer_station *s, fer_station_place *out, size_t room)
{
    for (size_t i = 0; i < s->place_count && i < room; i++) {
        const fer_place_of_tools *p = s->places[i];
        out[i] = (fer_station_place){p->name, p->ns, p->tools, p->code, fer_str_of(p->why)};
    }
    return s->place_count;
}

fer_code fer_station_renew(fer_station *s, size_t *changes, fer_err *err)
{
    fer_reloaded done = {0};
    fer_arena *a = fer_arena_new(0);
    if (changes) *changes = 0;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_station_reload(s, a, &done, err);
    if (changes) *changes = done.count;
    if (done.count) fer_station_remark(s); /* what it could not set up */
    fer_arena_free(a);
    return code;
}

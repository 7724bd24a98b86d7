/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configurations, JSON by their first byte, YAML else. What must hold: a text is read or refused
 * with a message; every problem has a place; what a variable holds is in no message and is not
 * looked at again; a configuration does not differ from itself; blanking comments moves nothing.
 */
#include <stdlib.h>

#include "config_parts.h"
#include "fuzz.h"
#include "secret.h"

static const char canary[] = "cAnArY secretref:file:/etc/x ${HOME}";

static const char *get_variable(void *context, const char *name)
{
    (void)context;
    return name[0] == 'N' ? NULL : canary;
}

static void check_pairs(fer_config_pairs pairs)
{
    for (size_t i = 0; i < pairs.count; i++) {
        fer_str text = pairs.list[i].value.text;
        HOLDS(!pairs.list[i].value.secret || fer_secret_find(text) != SIZE_MAX);
        HOLDS(!pairs.list[i].value.secret || !strstr(fer_pri_ptr(text), "cAnArY"));
    }
}

static void check_problems(fer_arena *a, const fer_config *c, size_t size)
{
    size_t errors = 0;
    for (size_t i = 0; i < c->problem_count; i++) {
        const fer_config_problem *p = &c->problems[i];
        errors += p->severity == FER_SEVERITY_ERROR;
        fer_str copy = fer_arena_copy(a, p->message);
        HOLDS(p->message.len && p->place.line && p->place.offset <= size);
        HOLDS(copy.ptr && !strstr(copy.ptr, "cAnArY"));
    }
    HOLDS(errors == c->error_count || c->problem_count == FER_CONFIG_PROBLEMS);
}

static void check(fer_arena *a, const fer_config *c, size_t size)
{
    check_problems(a, c, size);
    for (size_t i = 0; i < c->server_count; i++) {
        const fer_config_server *s = &c->servers[i];
        HOLDS(s->ns.len && s->json.len && s->place.line);
        HOLDS(s->transport == FER_CONFIG_STDIO ? !s->url.len : !s->command.len && !s->arg_count);
        check_pairs(s->env);
        check_pairs(s->headers);
    }
    for (size_t i = 0; i < c->api_count; i++) {
        HOLDS(c->apis[i].file.len);
        /* Whoever gets a credential is named by the operator. */
        HOLDS(c->error_count || !c->apis[i].auth.kind || c->apis[i].base_url.len);
        HOLDS(c->error_count || !c->apis[i].headers.count || c->apis[i].base_url.len);
    }
}

static void check_clean(fer_arena *a, fer_str text)
{
    fer_str cleaned = fer_jsonc_clean(a, text);
    HOLDS(cleaned.len == text.len);
    for (size_t i = 0; i < text.len; i++)
        HOLDS(cleaned.ptr[i] == text.ptr[i] || cleaned.ptr[i] == ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_config_world world = {
        .get = get_variable, .home = FER_STR("/home/me"), .folder = FER_STR("/work")};
    fer_config x, y;
    fer_config_change *changes;
    size_t count = 1;
    fer_err err = {0};
    fer_str name = size && data[0] == '{' ? FER_STR("f.json") : FER_STR("f.yaml");
    fer_code code = fer_config_read(a, name, text, &world, &x, &err);
    HOLDS(!code || (err.code == code && err.message[0]));
    bool says = size && memmem(data, size, canary, 6); /* the input says it itself */
    if (!code) {
        if (!says) check(a, &x, size);
        HOLDS(!fer_config_read(a, name, text, &world, &y, &err));
        HOLDS(!fer_config_diff(a, &x, &y, &changes, &count, &err) && count == 0);
    }
    check_clean(a, text);
    fer_arena_free(a);
    return 0;
}

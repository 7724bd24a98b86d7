/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_stdio.h"

#include "link_stdio.h"

static const fer_runner_kind kind = {.name = "mcp-stdio",
                                     .backend = FER_BACKEND_MCP,
                                     .list = fer_mcp_runner_list,
                                     .call = fer_mcp_runner_call,
                                     .cancel = fer_mcp_runner_cancel,
                                     .status = fer_mcp_runner_status,
                                     .mcp = fer_mcp_runner_client,
                                     .leave = fer_mcp_runner_leave,
                                     .stop = fer_mcp_runner_stop,
                                     .free = fer_mcp_runner_free};

/* A copy of a list of texts that NULL ends; NULL: no memory. */
static const char *const *copy_texts(fer_arena *a, const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count]) count++;
    const char **copy = fer_arena_alloc_zero(a, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = fer_arena_copy(a, fer_str_of(texts[i])).ptr;
        if (!copy[i]) return NULL;
    }
    return copy;
}

static fer_str path_of(const char *const *env)
{
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0) return fer_str_of(*env + 5);
    return FER_STR("/usr/local/bin:/usr/bin:/bin");
}

struct program {
    fer_process_host *host;
    fer_stdio_spec spec;
};

static fer_mcp_link *make(const void *settings, const fer_token_owner *who)
{
    (void)who;
    const struct program *p = settings;
    return fer_link_stdio_new(p->host, &p->spec);
}

fer_runner *fer_mcp_stdio_runner(fer_process_host *host, const fer_mcp_stdio_settings *settings)
{
    fer_arena *a = fer_arena_new(0);
    if (!a) return NULL;
    fer_stdio_spec spec = {.argv = copy_texts(a, settings->argv),
                           .env = copy_texts(a, settings->env)};
    spec.grace = settings->grace;
    spec.sha256 = fer_arena_copy(a, settings->sha256);
    if (settings->cwd) spec.cwd = fer_arena_copy(a, fer_str_of(settings->cwd)).ptr;
    if (!spec.argv || !spec.env || (settings->cwd && !spec.cwd) || !spec.sha256.ptr) {
        fer_arena_free(a);
        return NULL;
    }
    spec.path = path_of(spec.env);
    struct program *own = fer_arena_alloc_zero(a, 1, sizeof *own);
    if (!own) {
        fer_arena_free(a);
        return NULL;
    }
    *own = (struct program){host, spec};
    return fer_mcp_runner_new(a, fer_process_host_loop(host),
                              &(fer_mcp_runner_spec){.kind = &kind,
                                                     .name = settings->name,
                                                     .make = make,
                                                     .settings = own,
                                                     .times = &settings->times,
                                                     .care = settings->care});
}

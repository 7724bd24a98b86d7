/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of Ferrule's own: APIs, and single values. */
#include "config_parts.h"
#include "errors.h"
#include "json_write.h"
#include "policy_set.h"
#include "quarantine_names.h"
#include "secret.h"

const char *const fer_quarantine_names[] = {"none", "breaking", "changed", NULL};

fer_str fer_configure_json(fer_configure *c, const yyjson_val *value, const char *skip)
{
    fer_buf b;
    fer_notation notation = {.skip = skip};
    fer_err err;
    fer_buf_init(&b, c->a, SIZE_MAX / 4);
    fer_code code = fer_write_add(c->a, &b, value, &notation, &err);
    if (code && !c->failure) c->failure = code;
    return fer_configure_done(c, &b);
}

/* ---- APIs ---------------------------------------------------------------------------------- */

/* The kinds, and which member holds the secret of each. */
static const struct auth_row {
    const char *type;
    const char *secret;
    fer_config_auth_kind kind;
} auth_rows[] = {
    {"bearer", "token", FER_AUTH_BEARER},
    {"basic", "password", FER_AUTH_BASIC},
    {"apiKey", "key", FER_AUTH_API_KEY},
};
static const char *const key_places[] = {"header", "query", "cookie"};

static fer_config_auth take_auth(const yyjson_val *auth)
{
    fer_config_auth out = {0};
    fer_str type = fer_configure_text(auth, "type"), in = fer_configure_text(auth, "in");
    for (size_t i = 0; i < FER_COUNT(auth_rows); i++) {
        if (!fer_str_is(type, auth_rows[i].type)) continue;
        out.kind = auth_rows[i].kind;
        out.secret = fer_configure_text(auth, auth_rows[i].secret);
    }
    for (size_t i = 0; i < FER_COUNT(key_places); i++)
        if (fer_str_is(in, key_places[i])) out.in = (fer_config_key_in)i;
    out.name = fer_configure_text(auth, "name");
    out.user = fer_configure_text(auth, "user");
    return out;
}

static void take_tokens(fer_configure *c, const yyjson_val *oauth, fer_config_api *api)
{
    fer_configure_oauth(c, oauth, &api->oauth);
    if (!api->oauth.given) return;
    if (api->auth.kind) FER_CONFIG_ERROR(c, oauth, "an API has \"auth\" or \"oauth\", not both");
    fer_configure_share(c, oauth, api->base_url, &api->headers);
}

static void take_api(fer_configure *c, const yyjson_val *key, fer_config_api *api)
{
    const yyjson_val *object = key + 1, *base = fer_val_get(object, "baseUrl");
    fer_str ns = fer_configure_text(object, "namespace");
    *api = (fer_config_api){.name = fer_val_str(key),
                            .ns = ns.len ? ns : fer_val_str(key),
                            .file = fer_configure_path(c, fer_configure_text(object, "openapi")),
                            .base_url = fer_configure_text(object, "baseUrl"),
                            .auth = take_auth(fer_val_get(object, "auth")),
                            .timeout_ms = fer_configure_number(object, "timeoutMs"),
                            .disabled = fer_configure_flag(object, "disabled"),
                            .place = fer_json_place(c->doc, key)};
    api->include =
        fer_configure_texts(c, fer_val_get(object, "include"), false, &api->include_count);
    api->headers = fer_configure_pairs(c, fer_val_get(object, "headers"), false, true);
    api->json = fer_configure_json(c, object, NULL);
    fer_configure_claim(c, key, api->ns);
    if (api->base_url.len) fer_configure_url(c, base, api->base_url);
    if (fer_str_find(api->base_url, 0, '?') != SIZE_MAX ||
        fer_str_find(api->base_url, 0, '#') != SIZE_MAX)
        FER_CONFIG_ERROR(c, base, "a base URL has no query and no fragment");
    take_tokens(c, fer_val_get(object, "oauth"), api);
    if (api->headers.count && !api->base_url.len)
        FER_CONFIG_ERROR(c, key,
                         "headers are for an API whose \"baseUrl\" is given: its document "
                         "shall not say who gets them");
}

void fer_configure_apis(fer_configure *c, const yyjson_val *apis)
{
    size_t most = fer_is_obj(apis) ? fer_val_len(apis) : 0;
    fer_config_api *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    c->out->apis = list;
    FER_EACH_MEMBER (apis, key) {
        if (!fer_is_obj(key + 1) || !fer_configure_text(key + 1, "openapi").len) continue;
        take_api(c, key, &list[c->out->api_count++]);
        if (c->failure) return;
    }
}

/* ---- single values ------------------------------------------------------------------------- */

static void write_scalars(fer_configure *c)
{
    fer_config *out = c->out;
    fer_buf b;
    fer_buf_init(&b, c->a, SIZE_MAX / 4);
    fer_buf_printf(
        &b,
        "{\"deadlineMs\":%lld,\"timeoutMs\":%lld,\"warn\":%d,\"calls\":%zu,\"bytes\":%zu,"
        "\"metrics\":%d",
        (long long)out->deadline_ms, (long long)out->timeout_ms, out->warn_output, out->calls,
        out->call_bytes, out->metrics);
    fer_configure_add(&b, "quarantine", out->quarantine);
    fer_configure_add(&b, "metricsFile", out->metrics_file);
    fer_configure_add(&b, "logLevel", out->log_level);
    fer_configure_add(&b, "logFormat", out->log_format);
    fer_configure_add(&b, "logFile", out->log_file);
    fer_configure_add(&b, "otlp", out->otlp_endpoint);
    fer_configure_add_pairs(&b, "headers", out->otlp_headers);
    fer_configure_add(&b, "policies", out->policies);
    fer_configure_add(&b, "state", out->state);
    fer_configure_add(&b, "serve", out->serve.json);
    fer_configure_add(&b, "code", out->code.json);
    fer_configure_add_routes(&b, out);
    fer_buf_add_char(&b, '}');
    out->scalars = fer_configure_done(c, &b);
}

/* What the policies are told of the ledger's section: one text for the gateway. */
static fer_str with_ledger(fer_configure *c, fer_str policies, fer_str ledger)
{
    if (!ledger.len) return policies;
    bool empty = policies.len <= 2; /* {} */
    return fer_arena_printf(
        c->a, "{\"ledger\":%.*s%s%.*s", FER_PRI(ledger), empty ? "" : ",",
        FER_PRI(empty ? FER_STR("}") : fer_str_slice(policies, 1, policies.len)));
}

static void take_ledger(fer_configure *c, const yyjson_val *root)
{
    const yyjson_val *l = fer_val_get(root, "ledger");
    fer_config_ledger *out = &c->out->ledger;
    *out = (fer_config_ledger){.durability = fer_configure_text(l, "durability"),
                               .retention_days = fer_configure_number(l, "retentionDays"),
                               .segment_bytes = (size_t)fer_configure_number(l, "segmentBytes"),
                               .checkpoint_records =
                                   (size_t)fer_configure_number(l, "checkpointRecords"),
                               .checkpoint_ms = fer_configure_number(l, "checkpointMs"),
                               .anchor = fer_configure_path(c, fer_configure_text(l, "anchor")),
                               .key = fer_configure_path(c, fer_configure_text(l, "key")),
                               .verify = fer_configure_flag(l, "verifyAtStart"),
                               .json = FER_STR("")};
    if (!fer_is_obj(l)) return;
    out->json = fer_configure_json(c, l, NULL);
    if (!c->out->state.len)
        fer_configure_tell(c, FER_SEVERITY_WARNING, l, FER_STR("Add state: FOLDER."),
                           "there is no ledger without \"state\"");
}

/* The section is read by the gateway; what the schema cannot see is tried here. */
static void take_policies(fer_configure *c, const yyjson_val *root)
{
    const yyjson_val *section = fer_val_get(root, "policies");
    fer_policy_set *unused;
    fer_err err;
    c->out->state = fer_configure_path(c, fer_configure_text(root, "state"));
    take_ledger(c, root);
    fer_str own = fer_is_obj(section) ? fer_configure_json(c, section, NULL) : FER_STR("");
    if (c->failure) return;
    c->out->policies = with_ledger(c, own, c->out->ledger.json);
    if (!c->out->policies.ptr) fer_configure_no_memory(c);
    else if (fer_policy_read(c->a, c->out->policies, &unused, &err))
        FER_CONFIG_ERROR(c, section ? section : root, "%.600s", err.message);
}

void fer_configure_scalars(fer_configure *c, const yyjson_val *root)
{
    fer_config *out = c->out;
    const yyjson_val *defaults = fer_val_get(root, "defaults"),
                     *telemetry = fer_val_get(root, "telemetry");
    const yyjson_val *otlp = fer_is_obj(telemetry) ? fer_val_get(telemetry, "otlp") : NULL;
    const yyjson_val *metrics = fer_is_obj(telemetry) ? fer_val_get(telemetry, "metrics") : NULL;
    out->catalog = fer_configure_path(c, fer_configure_text(root, "catalog"));
    out->deadline_ms = fer_configure_number(defaults, "deadlineMs");
    out->timeout_ms = fer_configure_number(defaults, "timeoutMs");
    out->warn_output = fer_str_is(fer_configure_text(defaults, "outputValidation"), "warn");
    out->calls = (size_t)fer_configure_number(defaults, "calls");
    out->call_bytes = (size_t)fer_configure_number(defaults, "callBytes");
    out->metrics = !metrics || fer_is_true(metrics);
    out->quarantine = fer_configure_text(root, "quarantine");
    out->relist_ms = fer_configure_number(root, "relistMs");
    if (!out->relist_ms) out->relist_ms = FER_CONFIG_RELIST_MS;
    out->metrics_file = fer_configure_path(c, fer_configure_text(telemetry, "metricsFile"));
    out->log_level = fer_configure_text(telemetry, "logLevel");
    out->log_format = fer_configure_text(telemetry, "logFormat");
    out->log_file = fer_configure_path(c, fer_configure_text(telemetry, "logFile"));
    out->otlp_endpoint = fer_configure_text(otlp, "endpoint");
    if (fer_is_obj(otlp))
        out->otlp_headers = fer_configure_pairs(c, fer_val_get(otlp, "headers"), false, true);
    if (out->otlp_endpoint.len)
        fer_configure_url(c, fer_val_get(otlp, "endpoint"), out->otlp_endpoint);
    take_policies(c, root);
    if (!out->catalog.len && out->state.len) {
        /* Who did not ask for it sees at each start what servers have by then. */
        if (!fer_val_get(root, "relistMs")) out->relist_ms = 1;
        out->catalog = fer_arena_printf(c->a, "%.*s/" FER_CONFIG_KEPT, FER_PRI(out->state));
        if (!out->catalog.ptr) fer_configure_no_memory(c);
    }
    write_scalars(c);
}

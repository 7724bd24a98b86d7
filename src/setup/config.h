/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: where tools come from and how they are run, as a plain tree. Read from a
 * `ferrule.yaml` (docs/config.md; docs/schemas/config.schema.json describes it, and is what it is
 * checked against), or from the file of an MCP client as it is.
 *
 * Everything that is wrong is a problem with its place, and all of them are told; a configuration
 * with an error is not to be used. Texts of the file name no secrets but references to them
 * (secret.h), which are looked up when a server or an API is started. Commands, environments,
 * headers and addresses of this machine come from here alone, never from a tool's definition or an
 * API's document.
 *
 * fer_config_read, fer_config_diff and fer_config_schema are pure; fer_config_load reads the file
 * and looks at the environment. Results live in the arena.
 */
#ifndef FER_CONFIG_H
#define FER_CONFIG_H

#include <ferrule/contract.h>

#include "arena.h"
#include "identity.h"
#include "json_value.h"
#include "runtime.h"
#include "token_owner.h"

#define FER_CONFIG_SIZE        ((size_t)1 << 20)  /* bytes of a configuration file */
#define FER_CONFIG_CLIENT_SIZE ((size_t)64 << 20) /* of a client's own file, as JSON */
#define FER_CONFIG_SERVERS     1000               /* servers, and so APIs */
#define FER_CONFIG_IDLE_MS                                                                         \
    600000 /* without a call, of a server that each client has its own of                          \
            */
#define FER_CONFIG_KEPT      "tools.catalog" /* of the folder of state, where no other is named */
#define FER_CONFIG_RELIST_MS 86400000 /* that a list of tools is good for when a gateway starts */

#define FER_CONFIG_NO_NAMESPACE FER_STR("local") /* of commands that name none */

/* A text of the file, with its ${...} filled in. */
typedef struct fer_config_value {
    fer_str text;
    bool secret; /* it holds a reference to a secret: fer_secret_resolve */
} fer_config_value;

typedef struct fer_config_pair {
    fer_str name;
    fer_config_value value;
} fer_config_pair;
typedef struct fer_config_pairs {
    const fer_config_pair *list;
    size_t count;
} fer_config_pairs;

typedef enum fer_config_transport {
    FER_CONFIG_STDIO,
    FER_CONFIG_HTTP, /* Streamable HTTP */
    FER_CONFIG_SSE   /* HTTP with SSE, of 2024-11-05 */
} fer_config_transport;

/* How tokens for a server are got (OAuth). Texts are empty where nothing is said. */
typedef struct fer_config_oauth {
    fer_str client_id, issuer, metadata_url;
    fer_str secret, private_key;                  /* references */
    fer_str token_url, authorize_url, revoke_url; /* in place of the issuer's metadata */
    fer_str resource;                             /* of an API: that tokens are asked for */
    const fer_str *scopes;
    size_t scope_count;
    int64_t callback_port; /* 0: any */
    fer_token_share share; /* of the tokens */
    bool machine;          /* client_credentials */
    bool off, given;       /* there shall be none; something is said about them */
} fer_config_oauth;

typedef struct fer_config_server {
    fer_str name; /* as it is written */
    fer_str ns;   /* the same in the alphabet of namespaces; unique */
    fer_config_transport transport;
    fer_str command; /* stdio; a path, or a name to look for along PATH */
    const fer_str *args;
    size_t arg_count;
    fer_config_pairs env;
    fer_str cwd;      /* absolute, or empty: where the gateway runs */
    fer_str env_file; /* absolute: more variables, as VS Code has them; or empty */
    fer_str sha256;   /* of the program, 64 digits; or empty: whatever is there is started */
    fer_str url;      /* http, sse */
    fer_config_pairs headers;
    fer_config_oauth oauth;
    fer_str oauth_json; /* the same, to be compared */
    int64_t timeout_ms; /* 0: none is named */
    bool disabled;
    bool eager;      /* started with the gateway, and again whenever it is lost */
    bool isolate;    /* each client has one of its own */
    int64_t idle_ms; /* without a call, after which it is stopped; 0: never */
    fer_place place;
    size_t end;   /* of it in the text; SIZE_MAX: not known */
    fer_str file; /* that it stands in */
    fer_str json; /* all of the above but the place, to be compared */
} fer_config_server;

typedef struct fer_config_command {
    fer_str id;     /* of the tool */
    fer_str record; /* JSON, without `run` */
    fer_str run;    /* JSON: how the program is started */
    fer_place place;
    fer_str json;
} fer_config_command;

typedef enum fer_config_auth_kind {
    FER_AUTH_NONE,
    FER_AUTH_BEARER,
    FER_AUTH_BASIC,
    FER_AUTH_API_KEY
} fer_config_auth_kind;
typedef enum fer_config_key_in {
    FER_KEY_HEADER,
    FER_KEY_QUERY,
    FER_KEY_COOKIE
} fer_config_key_in;

typedef struct fer_config_auth {
    fer_config_auth_kind kind;
    fer_config_key_in in; /* of a key: where it goes, */
    fer_str name;         /* under this name */
    fer_str user;         /* of basic */
    fer_str secret;       /* the reference */
} fer_config_auth;

typedef struct fer_config_api {
    fer_str name;
    fer_str ns;
    fer_str file;     /* the OpenAPI document; relative names are resolved */
    fer_str base_url; /* or empty */
    const fer_str *include;
    size_t include_count;
    fer_config_auth auth;
    fer_config_oauth oauth; /* in its place, where something is given */
    fer_config_pairs headers;
    int64_t timeout_ms; /* 0: none is named */
    bool disabled;
    fer_place place;
    fer_str json;
} fer_config_api;

/* Where one tool runs: backends of this configuration, the one that is tried first in front. */
typedef struct fer_config_route {
    fer_str tool; /* its ID */
    const fer_backend *backends;
    size_t count;
} fer_config_route;

/* How the ledger is written; 0 and empty: as it is without. */
typedef struct fer_config_ledger {
    fer_str durability; /* "group", "sync", "async" */
    int64_t retention_days;
    size_t segment_bytes;
    size_t checkpoint_records;
    int64_t checkpoint_ms;
    fer_str anchor; /* a path, resolved */
    fer_str key;    /* a path, resolved */
    bool verify;    /* all of it, after the start */
    fer_str json;   /* the section, to be compared; or empty */
} fer_config_ledger;

/* A client of ferrule serve. */
typedef struct fer_config_client {
    fer_str name;
    fer_str token; /* the reference; or empty */
    fer_str tenant, mode;
    const fer_str *scopes;
    size_t scope_count; /* 0: everything */
    const fer_str *expose;
    size_t expose_count;
    fer_place place;
} fer_config_client;

/* Who vouches for clients of ferrule serve. */
typedef struct fer_config_issuer {
    fer_str name;
    fer_str issuer;
    fer_str jwks; /* a URL, or a path, resolved */
    const fer_str *audiences;
    size_t audience_count; /* 0: the resource */
    uint32_t algs;         /* bits of fer_jose_algs */
    int64_t leeway;        /* seconds */
    struct fer_claim_map map;
    fer_str mode;
    const fer_str *expose;
    size_t expose_count;
    fer_place place;
} fer_config_issuer;

/* What can be bounded there, in the order of fer_config_limit_names. */
enum fer_config_limit {
    FER_LIMIT_SESSION_MS,
    FER_LIMIT_BEAT_MS,
    FER_LIMIT_POLL_MS,
    FER_LIMIT_RETRY_MS,
    FER_LIMIT_EVENTS,
    FER_LIMIT_EVENT_BYTES,
    FER_LIMIT_EVENT_MS,
    FER_LIMIT_ASKS,
    FER_LIMIT_LISTENS,
    FER_LIMIT_CLIENTS,
    FER_LIMIT_SETTLE_MS,
    FER_LIMIT_PARKED,
    FER_LIMIT_PARKED_MS,
    FER_LIMIT_RESULT_BYTES,
    FER_LIMIT_HEAD_BYTES,
    FER_LIMIT_FIELDS,
    FER_LIMIT_URI_BYTES,
    FER_LIMIT_BODY_BYTES,
    FER_LIMIT_HEAD_MS,
    FER_LIMIT_BODY_MS,
    FER_LIMIT_BODY_RATE,
    FER_LIMIT_IDLE_MS,
    FER_LIMIT_STUCK_MS,
    FER_LIMIT_SEND_RATE,
    FER_LIMIT_STREAM_BYTES,
    FER_LIMIT_CONNECTIONS,
    FER_LIMIT_ADDRESS_CONNECTIONS,
    FER_CONFIG_LIMITS
};
extern const char *const fer_config_limit_names[FER_CONFIG_LIMITS]; /* "sessionMs" ... */

/* The section `serve`. Texts are empty, numbers 0 where nothing is said. */
typedef struct fer_config_serve {
    fer_str listen, socket, mode, tokens, tls_cert, tls_key; /* paths are resolved */
    const fer_str *expose, *hosts, *origins;
    size_t expose_count, host_count, origin_count;
    bool insecure;
    const fer_config_client *clients;
    size_t client_count;
    fer_str resource;
    const fer_config_issuer *issuers;
    size_t issuer_count;
    int64_t limits[FER_CONFIG_LIMITS];
    fer_str json; /* all of it, to be compared */
} fer_config_serve;

/* Resource and issuers of `from`, in an arena of another life. */
fer_code fer_config_copy_issuers(fer_arena *a, const fer_config_serve *from, fer_config_serve *to,
                                 fer_err *err);

/* A way to run code, of the section `code`. */
typedef struct fer_config_runtime {
    fer_str name;
    fer_str kind;           /* "process", "wasm" ... */
    const fer_str *command; /* the interpreter and its first arguments; none: the kind needs none */
    size_t command_count;
    fer_str helper;       /* "python": its code is begun by Ferrule's own module; or empty */
    const fer_str *binds; /* paths of the host that are seen inside, read-only */
    size_t bind_count;
    bool jit;              /* it makes machine code as it runs */
    fer_str engine;        /* of wasm; or empty */
    fer_str image, socket; /* of a container, and of the API that makes it; or empty */
    fer_str json;          /* all of it, for kinds that have members of their own */
    fer_place place;
} fer_config_runtime;

/* The section `code`; numbers are 0, texts empty where nothing is said. */
typedef struct fer_config_code {
    bool enabled;    /* clients may run code; false also where there is no such section */
    fer_str profile; /* of the sandbox */
    bool allow_degraded;
    bool reentrant; /* code may run code */
    bool has_warm;
    size_t warm; /* programs that wait, where has_warm */
    int64_t limits[FER_BOUNDS];
    const fer_config_runtime *runtimes;
    size_t runtime_count;
    fer_str json; /* all of it, to be compared; or empty */
} fer_config_code;

typedef struct fer_config_problem {
    fer_severity severity;
    fer_place place;
    fer_str message; /* a sentence, without values that may be secret */
    fer_str hint;    /* what to do, or empty */
    fer_str file;    /* where several are read as one; or empty: the configuration's */
} fer_config_problem;

typedef struct fer_config {
    fer_str file;
    bool of_client; /* the file is an MCP client's own */
    const fer_config_server *servers;
    size_t server_count;
    const fer_config_command *commands;
    size_t command_count;
    const fer_config_api *apis;
    size_t api_count;
    const fer_config_route *routes;
    size_t route_count;
    fer_str catalog;     /* a path, resolved; or empty */
    fer_str quarantine;  /* "none", "breaking", "changed"; or empty */
    int64_t relist_ms;   /* that what the catalogue has of a server is good for at a start */
    int64_t deadline_ms; /* 0: none is named, as below */
    int64_t timeout_ms;
    bool warn_output;
    size_t calls;
    size_t call_bytes;
    bool metrics;
    fer_str metrics_file; /* a path, resolved; or empty */
    fer_str otlp_endpoint;
    fer_config_pairs otlp_headers;
    fer_str log_level;  /* or empty */
    fer_str log_format; /* "text", "json"; or empty */
    fer_str log_file;   /* a path, resolved; or empty: standard error */
    fer_str policies;   /* that section as JSON, with the ledger's; or empty */
    fer_str state;      /* a path, resolved; or empty */
    fer_config_ledger ledger;
    fer_config_serve serve;
    fer_config_code code;
    fer_str scalars; /* all from the deadline on, and the routes, as JSON */
    const fer_config_problem *problems;
    size_t problem_count;
    size_t error_count;
} fer_config;

/* What ${...} stands for. */
typedef struct fer_config_world {
    const char *(*get)(void *context, const char *name); /* a variable, or NULL; may be NULL */
    void *context;
    fer_str home;   /* ${userHome}; or empty */
    fer_str folder; /* of the file: relative names count from it; or empty */
    bool (*exists)(void *context, const char *path); /* a file; NULL: nobody knows */
} fer_config_world;

/* Reads a text; `name` is of the file. Fails where it is no JSON or YAML, with a place. */
fer_code fer_config_read(fer_arena *a, fer_str name, fer_str text, const fer_config_world *world,
                         fer_config *out, fer_err *err);

/* The text as a document: JSON, JSON with comments, or YAML. Nothing of it is looked at. */
fer_code fer_config_parse(fer_arena *a, fer_str name, fer_str text, fer_json **doc, fer_err *err);

/*
 * Where the configuration is: as asked for, or ferrule.yaml, ferrule.yml here, or the same in the
 * user's folder for configuration. `*out` empty: there is none.
 */
fer_code fer_config_locate(fer_arena *a, const char *asked, fer_str *out, fer_err *err);
/* Reads a file, in the environment of this process. Names the file in failures. */
fer_code fer_config_load(fer_arena *a, const char *file, fer_config *out, fer_err *err);

/*
 * Adds an error for each client of `serve` whose token is another's already, as far as references
 * can be read; relative paths count from `folder`. No token is shown. Fails for want of memory.
 */
fer_code fer_config_check_tokens(fer_arena *a, fer_config *c, fer_str folder, fer_err *err);
/* A problem as a line: FILE:LINE:COLUMN: error: MESSAGE. HINT. */
void fer_config_problem_text(const fer_config *c, const fer_config_problem *p,
                             char out[FER_ERR_TEXT]);
/* FER_BAD_USAGE where it has errors: how many there are, and the first of them unless all were
 * told. */
fer_code fer_config_refuse(const fer_config *c, fer_str file, bool told, fer_err *err);

/* What is different between two configurations. */
typedef enum fer_config_part {
    FER_CONFIG_SERVER,
    FER_CONFIG_COMMAND,
    FER_CONFIG_API,
    FER_CONFIG_CATALOG,
    FER_CONFIG_DEFAULTS, /* and telemetry */
    FER_CONFIG_PARTS
} fer_config_part;
extern const char *const fer_config_part_names[FER_CONFIG_PARTS]; /* "server" ... */

typedef struct fer_config_change {
    fer_config_part part;
    fer_str name;       /* of the server, command or API */
    const void *before; /* NULL: it is new */
    const void *after;  /* NULL: it is gone */
} fer_config_change;
/* In the order of the parts; within each, what is gone, then the rest as the new one has it. */
fer_code fer_config_diff(fer_arena *a, const fer_config *before, const fer_config *after,
                         fer_config_change **out, size_t *count, fer_err *err);

/* The JSON Schema of the file, as text. */
fer_str fer_config_schema(void);
/* The keys that a file may have at its top, as the members of an object: that schema's. */
fer_code fer_config_keys(fer_arena *a, const yyjson_val **out, fer_err *err);

#endif

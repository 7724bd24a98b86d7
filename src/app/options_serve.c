/* SPDX-License-Identifier: Apache-2.0 */
/* The options of serving, and of what leads MCP clients there. */
#include "option_rows.h"
#include "options.h"

const char *const fer_mode_choices[] = {"meta", "tools", "both", "transparent", NULL};
static const char *const attach_choices[] = {"auto", "start", "never", NULL};

const fer_option fer_serve_options[] = {
    {"stdio", 0, NULL, NULL, "speak over standard input and output, as desktop clients want it"},
    {"attach", 0, "WHEN", attach_choices,
     "with --stdio: join the gateway that runs for this configuration (auto, the default), start one "
     "where none does (start), or serve in this process (never)"},
    {"daemon", 0, NULL, NULL,
     "serve those who attach (serve --stdio) and nobody else; end when none is there"},
    {"idle", 0, "SECONDS", NULL,
     "with --daemon, or --attach start: how long it waits (default 300)"},
    {"listen", 'l', "ADDRESS:PORT", NULL,
     "where HTTP is served (default 127.0.0.1:7575; port 0: any that is free)"},
    {"socket", 's', "PATH", NULL, "serve HTTP at a Unix socket, to this user alone"},
    {"no-token", 0, NULL, NULL, "ask clients for no token; on the loopback only"},
    {"tls-cert", 0, "FILE", NULL, "serve HTTPS: the certificate with its chain, PEM"},
    {"tls-key", 0, "FILE", NULL, "its private key, PEM, which nobody else may read"},
    {"allow-host", 0, "HOST...", NULL, "a host that requests may name, beside the address itself"},
    {"allow-origin", 0, "ORIGIN...", NULL, "an origin whose web pages may ask"},
    {"insecure", 0, NULL, NULL, "listen beyond the loopback without TLS, or without tokens"},
    {"client", 0, "NAME", NULL, "with --stdio: serve as serve.clients of the configuration says"},
    {"fresh-token", 0, NULL, NULL, "a new token for this run alone, kept nowhere"},
    {"mode", 'm', "MODE", fer_mode_choices,
     "what clients see (default: meta, the meta tools; both where --expose is given)"},
    {"expose", 'e', "PATTERN...", NULL,
     "tools that are served under their own names: their ID without version, with * and ?"},
    {"from", 'f', "CLIENT|FILE", NULL,
     "serve the servers of an MCP client (claude, cursor, vscode, ...: see install), or a file of one"},
    STATION,
    END,
};
const fer_option fer_init_options[] = {
    {"from", 'f', "CLIENT|FILE", NULL,
     "take the servers of one client, or of a file (default: of all that are found)"},
    {"output", 'o', "FILE", NULL,
     "where to write; - shows it, as --dry-run does (default ferrule.yaml)"},
    {"force", 0, NULL, NULL, "replace a file that is there; the old one is kept beside it"},
    {"dry-run", 'n', NULL, NULL, "print what would be written, and write nothing"},
    JSON,
    END,
};
const fer_option fer_install_options[] = {
    {"http", 0, "URL", NULL,
     "let the client ask a gateway that runs, at this URL (default: a program, over stdio)"},
    {"token-env", 0, "NAME", NULL,
     "with --http: the variable that has the token (default FERRULE_TOKEN)"},
    {"no-token", 0, NULL, NULL, "with --http: the gateway asks for none"},
    {"alone", 0, NULL, NULL,
     "a gateway of the client's own, in place of one that all clients share (serve --attach start)"},
    {"mode", 'm', "MODE", fer_mode_choices, "what the client sees, as of serve"},
    {"expose", 'e', "PATTERN...", NULL, "tools under their own names, as of serve"},
    {"name", 0, "NAME", NULL, "of the entry (default ferrule)"},
    {"file", 0, "FILE", NULL, "the client's file, where it is not in its usual place"},
    {"remove", 0, NULL, NULL, "take the entry out"},
    {"dry-run", 'n', NULL, NULL, "show what would change as a diff, and change nothing"},
    JSON,
    STATION,
    END,
};
const fer_option fer_cost_options[] = {
    {"from", 'f', "CLIENT|FILE", NULL,
     "of the servers of an MCP client (claude, cursor, vscode, ...: see install), or of a file of one"},
    STATION,
    JSON,
    END,
};

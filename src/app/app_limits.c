/* SPDX-License-Identifier: Apache-2.0 */
#include "app_limits.h"

#include "admin.h"
#include "admin_catalog.h"
#include "admin_client.h"
#include "attach.h"
#include "attach_lasting.h"
#include "backup.h"
#include "baseline.h"
#include "doorkeeper.h"
#include "local_door.h"
#include "pulse.h"
#include "remote.h"
#include "serve_setup.h"
#include "service.h"
#include "station_parts.h"
#include "station_wares.h"
#include "toml.h"

const fer_limit_row fer_app_limit_rows[] = {
    {"config.client_size", FER_CONFIG_CLIENT_SIZE, "bytes of the file of an MCP client, as JSON"},
    {"toml.depth", FER_TOML_DEPTH,
     "arrays and tables inside each other in TOML, and parts of a key"},
    {"remote.words", FER_REMOTE_WORDS, "words of a command line of call, inspect"},
    {"remote.variety", FER_REMOTE_VARIETY, "values of --header, and so of --env"},
    {"remote.timeout", FER_REMOTE_MS_MAX, "milliseconds of --timeout"},
    {"attach.start", FER_ATTACH_START_MS, "milliseconds for a shared gateway to start"},
    {"attach.line", FER_ATTACH_LINE_MAX,
     "bytes of a line of the gateway's to a client that attached"},
    {"attach.asks", FER_ATTACH_ASKS_MAX,
     "requests whose end is told to a client when its gateway ends"},
    {"attach.lasting", FER_ATTACH_LASTING_MAX,
     "subscriptions of a client that are said again to the next gateway"},
    {"attach.idle", FER_LOCAL_IDLE_MAX, "seconds of --idle"},
    {"baseline.entries", FER_BASELINE_ENTRIES, "different findings that a baseline accepts"},
    {"backup.copies", FER_BACKUPS_MAX, "copies (.bak) of one file"},
    {"serve.ports", FER_SERVE_PORTS,
     "ports from the usual one on that ferrule serve tries at a terminal"},
    {"service.sockets", FER_SERVICE_SOCKETS, "sockets that a service manager hands over"},
    {"station.relist", FER_STATION_RELIST_MS,
     "milliseconds between two lists of a server that says that it has changed"},
    {"station.missing", FER_STATION_MISSING_MS,
     "milliseconds between two lists of a server of whose tools one is called that it has not shown"},
    {"station.theirs", FER_STATION_THEIRS,
     "tools of one server in the catalogue that only tenants' own tokens are shown, and definitions that single ones are (oauth.tokens)"},
    {"station.own_bytes", FER_STATION_OWN_BYTES,
     "bytes of definitions of one server that single tenants are shown in place of those that others are"},
    {"station.wares", FER_STATION_WARES_MAX, "bytes of what is kept of servers beside their tools"},
    {"admin.page", FER_ADMIN_MAX, "bytes of a page of the admin API"},
    {"admin.tools", FER_ADMIN_TOOLS, "tools that its page of the catalogue lists"},
    {"admin.recent", FER_PULSE_RECENT, "calls that it remembers"},
    {"admin.denied", FER_PULSE_DENIED, "refusals that it remembers"},
    {"admin.backends", FER_PULSE_BACKENDS, "backends whose calls it counts apart"},
    {"admin.client", FER_ADMIN_CLIENT_MS, "milliseconds that ferrule top waits for a page"},
    {"jwt.guests", FER_JWT_GUESTS_MAX,
     "clients that issuers vouch for at a time; those without a session make room"},
    {"denied.written", FER_DENIED_MAX,
     "refusals of strangers that are written down in ten seconds"},
};
const size_t fer_app_limit_row_count = FER_COUNT(fer_app_limit_rows);

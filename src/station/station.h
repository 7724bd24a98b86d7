/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gateway that a configuration describes: MCP servers, local commands, HTTP APIs, and functions
 * that whoever has the station brings along. Servers are asked for their tools
 * when a tool of theirs is wanted; until then they are not started, unless they are to be. Where
 * the configuration names a catalogue, their tools are remembered in it, and they are asked again
 * only for what it lacks, or when they say that something has changed.
 *
 * The configuration can be read again at any time (fer_station_reload): what is the same goes on,
 * what is not is made anew, and calls under way keep what they began with.
 *
 * One thread: that of the gateway's loop.
 */
#ifndef FER_STATION_H
#define FER_STATION_H

#include <ferrule/station.h>
#include <uv.h>

#include "arena.h"
#include "config.h"
#include "digest.h"
#include "file.h"
#include "http_client.h"
#include "log.h"
#include "oauth_desk.h"
#include "process.h"
#include "runner.h"

/* A command that could not be set up: its secret or its program is not there. */
typedef struct fer_vacancy {
    fer_str id; /* of its tool */
    fer_code code;
    fer_str why; /* with its place in the configuration, and what to do */
} fer_vacancy;

/* One configured place where tools run. Lives in its own arena until its runner is gone. */
typedef struct fer_place_of_tools {
    fer_arena *arena;
    fer_station *station;
    fer_config_part part;
    fer_str name;    /* as it is shown */
    fer_str ns;      /* of its tools */
    fer_str mark;    /* a digest of its configuration */
    fer_str outside; /* of what that leads to: documents, files of variables, secrets */
    fer_str url;     /* that it may ask; or empty */
    fer_runner *runner;
    fer_oauth_pool *tokens; /* for it; or NULL */
    const fer_str *records; /* the operator's own definitions, where it lists none itself */
    size_t record_count;
    fer_vacancy *vacancies; /* of a pack of commands: those that are left out */
    size_t vacancy_count;
    bool eager;      /* it is started with the gateway */
    bool vacant;     /* it could not be set up: `why` says why */
    bool asked;      /* for its tools, in this run */
    bool remembered; /* they were listed before, and are in the catalogue */
    int64_t listed;  /* when, ms since 1970; 0: nobody knows */
    int64_t began;   /* when the last list was begun, fer_clock_mono; 0: none was */
    bool asking;     /* a list is under way */
    bool again;      /* and will not be the last */
    bool retired;    /* another configuration has taken its place */
    fer_arena *listing_arena;
    uint64_t looked; /* the catalogue by which what tenants are shown was last looked at again */
    size_t tools;    /* that it has shown */
    size_t left_out; /* of these: nobody can call them */
    fer_code code;   /* why it has not; FER_OK: it has */
    char why[256];
    unsigned failures;               /* one after the other */
    int64_t ask_after;               /* after the last of them, fer_clock_mono */
    struct fer_place_of_tools *next; /* of those that are leaving */
} fer_place_of_tools;

/* What a station is for, and whose. All of it is borrowed for as long as the station is there. */
struct fer_station_wants {
    const char *config;           /* its file; NULL: wherever one is found (fer_config_locate) */
    const fer_builtin *functions; /* that it brings along */
    size_t function_count;
    fer_log log;            /* where calls are told, unless the configuration says otherwise */
    bool level_named;       /* `log` has the level that counts, whatever the configuration says */
    fer_station_tell *tell; /* or NULL */
    void *context;
    const char *beside; /* what to do where another process has the folder of state; or NULL */
    bool interrupts;    /* Ctrl-C cancels the calls that are under way */
    uv_loop_t *loop;    /* or NULL: the gateway has one of its own */
    bool search;        /* the catalogue can be searched: it is for a server, not for one call */
    bool code;          /* programs are run, whatever the configuration lets clients do */
    bool degraded;      /* also where a layer of the sandbox is missing */
    const char *const *files; /* of MCP clients, in place of --config */
    size_t file_count;
    bool bare;          /* servers alone: no state is opened, no catalogue kept */
    bool looks;         /* no state is opened, and the catalogue is read but not written */
    bool refreshes;     /* it is written, though */
    bool found;         /* nobody named them: what is wrong with one of them ends nothing */
    const char *client; /* of `serve.clients`, which must have it; or NULL */
    const char
        *own; /* the URL that the gateway will have, which it does not serve itself; or NULL */
};

struct fer_station {
    fer_arena *arena;        /* as long as the station is there */
    fer_arena *config_arena; /* of the configuration in use */
    fer_config config;
    char config_digest[FER_DIGEST_HEX + 1]; /* SHA-256 of its files, of one that serves; or empty */
    fer_catalog *catalog;
    const char *catalog_file; /* NULL: it is kept nowhere */
    bool catalog_was_there;   /* what the catalogue began with is from there */
    uint64_t saved;           /* version of the catalogue that its file has */
    uint64_t heard;           /* the one up to which changes were written down, where nobody does */
    uint64_t listener;        /* that the catalogue tells of changes; 0: none */
    size_t held_said;         /* definitions that are held back, as they were said last */
    bool marks_changed;       /* what is remembered of servers is not in its file yet */
    fer_gateway *gateway;
    fer_process_host *host;
    struct fer_sandbox_host *sandboxes; /* NULL: no code is run */
    fer_net_rules *rules;
    fer_http *http;
    fer_oauth_desk desk;         /* where tokens for servers are; arena NULL: not needed so far */
    struct fer_keeping *keeping; /* what outlives the process; NULL: nothing does */
    fer_place_of_tools **places;
    size_t place_count, place_cap;
    fer_place_of_tools *leaving;          /* that serve the calls that they have */
    struct fer_old_catalog *old_catalogs; /* that calls under way may still look into */
    bool shown_behind;       /* what clients are shown is still the catalogue before this one */
    fer_file_mark refused;   /* the catalogue's file that could not be taken over */
    int64_t take_over_after; /* fer_clock_mono */
    size_t waiting;          /* lists of tools that are under way */
    uv_timer_t relist;       /* for servers that say too often that they changed */
    uint64_t reloads;
    fer_log log; /* of calls */
    uv_signal_t interrupt;
    bool interrupted;
    struct fer_station_wants wants;
};

/* Reads the configuration, and sets up all that it names. After a failure there is nothing to free.
 */
fer_code fer_station_init(fer_station *s, const struct fer_station_wants *wants, fer_err *err);
void fer_station_deinit(fer_station *s);

/* As fer_station_ask, for every tool of a chain. */
void fer_station_ask_chain(fer_station *s, const fer_chain *chain);
/* Begins to ask all that were not asked yet, and does not wait: their places say what came of it.
 */
void fer_station_begin_asking(fer_station *s);
/* The same for those alone whose tools the catalogue does not have, or has had for too long
 * (relistMs), and for those that are to be started at once. */
void fer_station_begin_asking_unknown(fer_station *s);
/* Whether a server is being asked of which the catalogue knows nothing: others are asked again, and
 * what it knows of them is good meanwhile. */
bool fer_station_is_blank(const fer_station *s);
/* The same, and waits for what they say. */
void fer_station_ask_unknown(fer_station *s);
/* The same for those that could not be asked before. */
void fer_station_ask_again(fer_station *s);
/* The same, after a pause for each that doubles with its failures: 1 to 30 seconds. */
void fer_station_tend(fer_station *s);
/* Changed definitions that are held back, of a namespace; an empty one: of all. */
size_t fer_station_held(const fer_station *s, fer_str ns);
/* Says how many are, and what to do, where that was not said before. */
void fer_station_say_held(fer_station *s);
/* fer_station_remark about the tool of one ID (empty: all places) whose call ended with `code`:
 * only where it can be the reason that something is not set up. */
void fer_station_remark_on(fer_station *s, fer_str id, fer_code code);
/* Tells the log that somebody begins or ends to serve: `serve.started` and the like. */
void fer_station_note_life(const fer_station *s, const char *event);

/* What a reload did. */
typedef struct fer_reloaded {
    const fer_config_change *changes; /* in the arena that was given */
    size_t count;
} fer_reloaded;
/*
 * Reads the configuration again. A file that cannot be read, is too large, or has an error,
 * anything else that a server or an API lacks (a secret, an OpenAPI document), and what needs
 * another start (`state`) is a failure, and nothing has changed. A command that lacks its secret or
 * its program is left out, as at a start. Calls that are under way keep their backends,
 * which are stopped after them, their policies and their definitions. Documents, files of variables
 * and secrets are read again, too. The catalogue may be another one afterwards.
 */
fer_code fer_station_reload(fer_station *s, fer_arena *a, fer_reloaded *out, fer_err *err);

/*
 * Where another program has written the catalogue's file (as `ferrule catalog approve` does), what
 * is in it is taken over as a reload takes another catalogue: what was not written here is not
 * kept, and servers are to be asked again where the file does not know them. Says so, and whether
 * the catalogue is another one now; a file that cannot be used changes nothing, and is said once.
 */
bool fer_station_take_over(fer_station *s);

/* Writes the catalogue and what is remembered of servers, where there is a file for it and anything
 * has changed. A failure is said. */
void fer_station_save(fer_station *s);
#endif

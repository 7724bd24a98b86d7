/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue: all tools at hand, what discovery shows of them, and their changes.
 *
 * Readers look at a view: a frozen state of the whole catalogue that never changes while it is
 * held. Taking one never waits. Changes go through a batch, which is applied as a whole or not
 * at all and makes the next view; views that are held stay as they are. A catalogue may be used
 * by any number of threads; a view and what it gives out may be read by many; a batch and an
 * arena belong to one thread at a time.
 *
 * What is shown follows the discovery contracts (docs/search.md and the schemas in
 * docs/schemas/): summaries never hold schemas, schemas pass through byte for byte, texts are
 * cut in characters (code points) and never inside one.
 */
#ifndef FERRULE_CATALOG_H
#define FERRULE_CATALOG_H

#include <ferrule/common.h>
#include <ferrule/contract.h>
#include <ferrule/evolve.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits ---------------------------------------------------------------------------- */

#define FER_SUMMARY_SHORT       120     /* characters of shortDescription and summary */
#define FER_DOC_SUMMARY         200     /* of the summary of a ToolDoc */
#define FER_DOC_NOTES           2000    /* of its notes */
#define FER_EXAMPLE_DESCRIPTION 300     /* of an example's description */
#define FER_EXAMPLE_HINT        200     /* of its resultHint */
#define FER_EXAMPLE_DEPTH       5       /* objects and arrays inside each other in its args */
#define FER_EXAMPLE_SIZE        50      /* keys and items in its args */
#define FER_EXAMPLES_MAX        10      /* examples that are shown of one tool */
#define FER_REFS_MAX            50      /* external references that are shown of one tool */
#define FER_PAGE_SIZE           20      /* things on a page where nobody says how many */
#define FER_PAGE_MAX            100     /* things on a page at most */
#define FER_BACKENDS_MAX        64      /* backends of one tool */
#define FER_CATALOG_MAX         4000000 /* tools of one catalogue */
#define FER_PAST_MAX            10000   /* definitions of tools that are gone, and rejected ones */
#define FER_BATCH_MAX           1000000 /* changes of one batch */
#define FER_PROBLEMS_MAX        1000    /* problems of one batch that are told */
#define FER_LISTENERS_MAX       1000    /* listeners of one catalogue */
#define FER_EVENTS_KEPT         1000    /* latest events that a catalogue keeps */
#define FER_QUERY_MAX           16384   /* bytes of a query */
#define FER_TWINS_MAX           20   /* tools that are told to be the same as one that was found */
#define FER_TENANTS_MAX         256  /* tenants of whom uses are remembered */
#define FER_TENANT_NAME         128  /* bytes of a tenant's name */
#define FER_USES_MAX            4096 /* uses that are remembered of one tenant */
#define FER_USE_QUERY           2048 /* bytes of a query that is remembered */
#define FER_USES_FILE           (256 << 20) /* bytes of the file of uses */
#define FER_HITS_MAX                                                                               \
    200 /* tools that are found for one query, on all pages; half                                  \
           of it on pages of at most 25, a quarter on those of 10 */

/* ---- what discovery shows --------------------------------------------------------------- */

typedef struct fer_texts {
    const fer_str *list;
    size_t count;
} fer_texts;

/* The least that is told of a tool: what search and lists return. Empty: there is none. */
typedef struct fer_summary {
    fer_str id;
    fer_str name;
    fer_str ns;
    fer_str short_description; /* at most FER_SUMMARY_SHORT characters */
    fer_str summary;           /* the same */
    fer_str category;
    fer_texts input_modes;
    fer_texts output_modes;
    fer_str security_summary;
    fer_texts tags; /* normalised */
} fer_summary;

/* What search is done over. */
typedef struct fer_discovery_doc {
    fer_str id;
    fer_str doc_text; /* lower case, the same for the same tool */
    fer_summary summary;
} fer_discovery_doc;

/* What an embedding is made from. */
typedef struct fer_document {
    fer_str id;
    fer_str ns;
    fer_str name;
    fer_str description; /* the short one */
    fer_texts tags;      /* lower case, sorted */
    fer_str category;
    fer_str text; /* normalised */
} fer_document;

/* A summary that was found. */
typedef struct fer_hit {
    fer_summary summary;
    double score;
    const char *score_type; /* "bm25", "embedding" or "hybrid" */
} fer_hit;

/* Each as JSON, in the form of its schema in docs/schemas/. */
FER_API fer_code fer_summary_write(fer_arena *a, const fer_summary *s, fer_str *out, fer_err *err);
FER_API fer_code fer_discovery_doc_write(fer_arena *a, const fer_discovery_doc *d, fer_str *out,
                                         fer_err *err);
FER_API fer_code fer_document_write(fer_arena *a, const fer_document *d, fer_str *out,
                                    fer_err *err);
FER_API fer_code fer_hit_write(fer_arena *a, const fer_hit *h, fer_str *out, fer_err *err);

typedef enum fer_level {
    FER_LEVEL_SUMMARY, /* summary, modes, security, annotations */
    FER_LEVEL_SCHEMA,  /* and the tool and what its input schema asks for */
    FER_LEVEL_FULL,    /* and notes, examples, external references */
    FER_LEVEL_TYPES    /* its declaration in TypeScript alone, {"types"} */
} fer_level;
/* FER_UNKNOWN_LEVEL: it is none of "summary", "schema", "full", "types". */
FER_API fer_code fer_level_parse(fer_str name, fer_level *out, fer_err *err);
FER_API const char *fer_level_name(fer_level level);

/* ---- catalogues --------------------------------------------------------------------------- */

typedef struct fer_catalog fer_catalog;
typedef struct fer_view fer_view;
typedef struct fer_batch fer_batch;

/* Which changed definitions are held back until somebody approves them. */
typedef enum fer_quarantine {
    FER_QUARANTINE_NONE,
    FER_QUARANTINE_BREAKING, /* those that break callers or readers, or may */
    FER_QUARANTINE_CHANGED   /* all */
} fer_quarantine;

#define FER_CATALOG_KEY 32 /* bytes */

/*
 * An embedder of one's own: texts become vectors of `dims` numbers each, one behind the other, of
 * any length. Any thread that searches or makes vectors asks it, several at once; it must live as
 * long as the catalogue and its views. Vectors of another name, model or `dims` are not compared.
 */
typedef struct fer_embed_plugin {
    const char *name;  /* what it is, 31 bytes at most */
    const char *model; /* which one of that kind; NULL: there is only one */
    size_t dims;       /* from 1 to 4096 */
    fer_code (*embed)(void *context, const fer_str *texts, size_t count, bool query, double *out,
                      fer_err *err);
    void *context;
} fer_embed_plugin;

typedef struct fer_catalog_options {
    fer_quarantine quarantine; /* as fer_catalog_set_quarantine */
    bool search;               /* it can be searched; the index of a file is kept in step anyway */
    bool lenient;              /* takes records that break their contract, if they have an ID */
    const unsigned char *key;  /* FER_CATALOG_KEY bytes that page tokens are signed with; NULL:
                                  random, or the file's */
    uint64_t stamp;            /* of the content, where versions of several catalogues are the
                                  same: page tokens are bound to it */
    /* What makes vectors to search with: "builtin", or "use:FILE", a file of tools/make-use-model;
     * NULL: there are none, and those of a file are kept as they are. */
    const char *embedder;
    const fer_embed_plugin *plugin; /* instead of it, or NULL; copied, but for its texts */
    const char *vectors_from; /* the file of a catalogue whose vectors are used again for tools
                                 that say the same, where it is one; or NULL */
    /* Vectors of a file (or of vectors_from) that another embedder made stay in what is saved.
     * False: they stay until each tool has one by this catalogue's own, which are saved then. */
    bool keep_vectors;
    /* The file of the memory of uses (fer_catalog_note_use), which need not be there; "": they are
     * remembered and not kept; NULL: they are not remembered. */
    const char *uses;
} fer_catalog_options;

/* An empty catalogue; `options` may be NULL. */
FER_API fer_code fer_catalog_new(const fer_catalog_options *options, fer_catalog **out,
                                 fer_err *err);
/*
 * The catalogue of a file that fer_catalog_save wrote, mapped, not read: definitions are looked
 * at when they are asked for. FER_INVALID_CATALOG: it is no such file, or damaged. The file may
 * be replaced while it is in use (as fer_catalog_save does), but not written to.
 */
FER_API fer_code fer_catalog_open(const char *path, const fer_catalog_options *options,
                                  fer_catalog **out, fer_err *err);
/* What is held back by changes from now on; what is held back already stays so. */
FER_API void fer_catalog_set_quarantine(fer_catalog *c, fer_quarantine q);
/* Views that are held stay good. Not while others use the catalogue; NULL is fine. */
FER_API void fer_catalog_free(fer_catalog *c);
/* Writes all of it to a file, which is replaced as a whole or not at all. FER_CATALOG_CHANGED: it
 * is the file that it was opened from or saved to, and another program has replaced it since. */
FER_API fer_code fer_catalog_save(fer_catalog *c, const char *path, fer_err *err);
/* Whether that is so. Costs a look at the file, not at what is in it; a file that is gone is none.
 */
FER_API bool fer_catalog_is_outdated(fer_catalog *c);

/*
 * Makes vectors for up to `most` tools that have none; `*left` says how many have none still. A
 * catalogue serves at once, and vectors are made when it suits: whoever owns it calls this until
 * nothing is left, on a thread of its own or between other things, also while others search,
 * change and save. Tools that say the same as before, or as those of `vectors_from`, have theirs.
 * Nothing is left where there is no embedder.
 */
FER_API fer_code fer_catalog_embed(fer_catalog *c, size_t most, size_t *left, fer_err *err);

typedef struct fer_vector_stats {
    char embedder[32]; /* what makes vectors, or made those of the file; empty: nothing */
    size_t dims;       /* numbers of a vector */
    size_t vectors;    /* tools that have one */
    size_t left;       /* tools that have none yet; 0 where nothing makes any */
    bool used;         /* they are searched with: false, where nothing was to make any */
    bool others;       /* the file has vectors of another embedder, which are not used */
    bool stay;         /* and they stay there, as keep_vectors has it */
    /* Of the file's own vectors, or those of vectors_from, whoever made them; empty or 0: there are
     * none, or it does not say. */
    char file_embedder[32];
    char file_model[128];
    size_t file_dims;
    size_t file_vectors; /* tools that have one of them */
} fer_vector_stats;
FER_API void fer_catalog_vectors(fer_catalog *c, fer_vector_stats *out);

/* The newest state. Never NULL; never waits. */
FER_API fer_view *fer_catalog_view(fer_catalog *c);
FER_API fer_view *fer_view_ref(fer_view *v);
FER_API void fer_view_unref(fer_view *v);
/* Grows with each change of the catalogue. */
FER_API uint64_t fer_view_version(const fer_view *v);
FER_API size_t fer_view_count(const fer_view *v);
/* Looks at everything, as for a file one does not trust. FER_INVALID_CATALOG: what is wrong. */
FER_API fer_code fer_view_verify(const fer_view *v, fer_err *err);

/* ---- changes ------------------------------------------------------------------------------ */

FER_API FER_MUST_USE fer_batch *fer_batch_new(void);
FER_API void fer_batch_free(fer_batch *b);

typedef struct fer_put_options {
    fer_str ns;                 /* of tools that name none; may be empty */
    const fer_backend *backend; /* where they run, beside what the record says; or NULL */
    bool any_name; /* a byte of a name or namespace that IDs do not have is "-.HH" in the ID; the
                      definition keeps it. Otherwise such a tool is refused. */
} fer_put_options;

/*
 * Registers tools, or updates those that are there: each tool of a text, in any shape and
 * format. `options` may be NULL. What is wrong with one is a problem of the batch; FER_OK still.
 * A text that cannot be read is a failure, and nothing of it is in the batch.
 */
FER_API fer_code fer_batch_add(fer_batch *b, fer_str name, fer_str text, fer_format format,
                               const fer_put_options *options, fer_err *err);
/* One tool, whose text must still be there: its schemas are taken from it byte for byte. */
FER_API fer_code fer_batch_put(fer_batch *b, const fer_tool *tool, const fer_put_options *options,
                               fer_err *err);
/* Removes a tool: its ID, exactly. Its documentation goes with it. Where changes are held back it
 * is remembered: if it comes again as another one, it is served as it was until somebody decides.
 */
FER_API fer_code fer_batch_remove(fer_batch *b, fer_str id, fer_err *err);
/* Removes one backend of a tool; the tool goes with the last one. */
FER_API fer_code fer_batch_remove_backend(fer_batch *b, fer_str id, const fer_backend *backend,
                                          fer_err *err);
/*
 * Documents a tool, which need not be there yet: {"summary", "notes", "examples",
 * "externalRefs"}, in place of what was there. Texts past their limits are cut; examples must
 * fit (FER_ARGS_TOO_LARGE), and be valid arguments where the tool is there.
 */
FER_API fer_code fer_batch_document(fer_batch *b, fer_str id, fer_str json, fer_err *err);
/* Serves the definition that is held back, or the one that was rejected last; or turns it down: it
 * is not held back again. */
FER_API fer_code fer_batch_approve(fer_batch *b, fer_str id, fer_err *err);
FER_API fer_code fer_batch_reject(fer_batch *b, fer_str id, fer_err *err);

typedef struct fer_problem {
    size_t number; /* of the change in the batch, 1-based */
    fer_code code;
    fer_str id;      /* as far as known */
    fer_str source;  /* the name of its text, or empty */
    fer_place place; /* in it; line 0: not known */
    fer_str message; /* a sentence */
} fer_problem;
/* What is wrong with the changes: known when they were added, and when they were applied. */
FER_API const fer_problem *fer_batch_problems(const fer_batch *b, size_t *count);
/* How many there are, where not all were kept. */
FER_API size_t fer_batch_problem_count(const fer_batch *b);

typedef enum fer_event_kind {
    FER_EVENT_REGISTERED,
    FER_EVENT_UPDATED,     /* another definition is served, or a backend was added */
    FER_EVENT_QUARANTINED, /* another definition is held back; the old one goes on */
    FER_EVENT_APPROVED,    /* and now served */
    FER_EVENT_REJECTED,
    FER_EVENT_BACKEND_REMOVED,
    FER_EVENT_REMOVED,
    FER_EVENT_DOCUMENTED,
    FER_EVENT_UNCHANGED, /* an outcome only: nobody is told */
    FER_EVENT_SHADOWED   /* the same; the batch has another definition with this ID, which counts */
} fer_event_kind;
FER_API const char *fer_event_kind_name(fer_event_kind kind); /* "registered" ... */

/* What another definition means to those who use the tool. */
typedef enum fer_verdict {
    FER_VERDICT_NONE, /* the definition is the same, or there was none */
    FER_VERDICT_COMPATIBLE,
    FER_VERDICT_UNKNOWN,
    FER_VERDICT_BREAKING
} fer_verdict;
FER_API const char *fer_verdict_name(fer_verdict verdict); /* "none", "compatible" ... */

typedef struct fer_event {
    fer_event_kind kind;
    fer_str id;
    uint64_t version; /* of the catalogue with this change; one batch, one version */
    fer_verdict verdict;
} fer_event;

/*
 * Applies all changes, or none: where there is any problem, the code is that of the first one,
 * and nothing has changed. A batch is applied once. Listeners are told before it returns, or
 * by the thread that is telling them of earlier changes just then.
 */
FER_API fer_code fer_catalog_apply(fer_catalog *c, fer_batch *b, fer_err *err);
/* What became of each change, in order, once it was applied. */
FER_API const fer_event *fer_batch_outcomes(const fer_batch *b, size_t *count);

/*
 * The latest events, the oldest first: those with a higher version than `since`, of the last
 * FER_EVENTS_KEPT. They are kept with the catalogue in its file. `*complete` (or NULL) is false
 * where there may have been more.
 */
FER_API fer_code fer_catalog_events(fer_arena *a, fer_catalog *c, uint64_t since, fer_event **out,
                                    size_t *count, bool *complete, fer_err *err);

/* ---- listeners ------------------------------------------------------------------------------ */

/* Told of each change, in order, on the thread that made it or one that was before it. It may
 * use the catalogue, and subscribe and unsubscribe whom it likes. */
typedef void fer_listener(void *context, const fer_event *event);

/* From the next change on. `*number` is for unsubscribing. */
FER_API fer_code fer_catalog_subscribe(fer_catalog *c, fer_listener *listener, void *context,
                                       uint64_t *number, fer_err *err);
/*
 * Once this returns the listener is not called any more, and is not running on another thread.
 * False: there is no such one.
 */
FER_API bool fer_catalog_unsubscribe(fer_catalog *c, uint64_t number);

/* ---- filters and pages -------------------------------------------------------------------------
 */

typedef struct fer_page {
    size_t size;   /* things on a page; 0: FER_PAGE_SIZE; at most FER_PAGE_MAX are given */
    fer_str token; /* the nextToken of the page before; empty: from the start */
} fer_page;

struct fer_body;

/* What tools must be like; empty: it does not matter. */
typedef struct fer_filter {
    fer_texts namespaces; /* one of these */
    fer_texts tags;       /* all of these, normalised */
    fer_texts categories; /* one of these, case ignored */
    unsigned effects;     /* bits, 1 << fer_effect; 0: any */
    /* Asked of each tool that is left, where it is not NULL: what one may not use. `mark` stands
     * for the rule: a page of one rule is not a page of another. */
    bool (*takes)(const void *rule, const struct fer_body *tool);
    const void *rule;
    fer_str mark;
} fer_filter;

/* ---- searching ------------------------------------------------------------------------------ */

/* One word of a query in one tool that was found. */
typedef struct fer_why {
    fer_str word;    /* of the query; two for neighbours */
    fer_str matched; /* what it was taken for; another word where a typo was forgiven */
    fer_str fields;  /* where it stands, with commas: "name,description" */
    double share;    /* of the score, 0 to 1 */
} fer_why;

typedef struct fer_match {
    fer_hit hit;
    bool named; /* the query is the tool's name or ID */
    fer_effect effect;
    /* What each part gave, as a share of the best of all tools, 0 to 1. */
    double words, meaning, uses;
    fer_texts also_in;  /* tools of other namespaces with the same definition, which are left out */
    size_t also_count;  /* of all of them; at most FER_TWINS_MAX are told */
    const fer_why *why; /* where it was asked for, the largest share first */
    size_t why_count;
} fer_match;

typedef struct fer_found {
    fer_match *matches; /* by score, then by ID */
    size_t count;
    fer_str next;       /* token of the next page; empty: this is the last */
    bool fits;          /* false: nothing fits, what there is shares too little with the query */
    uint64_t version;   /* of the catalogue that was searched */
    const char *ranker; /* that ranked: "bm25", "embedding" or "hybrid" */
    size_t lacking;     /* tools without a vector, where vectors were asked for or used */
} fer_found;

typedef enum fer_rank {
    FER_RANK_DEFAULT, /* hybrid, where at least nine of ten tools have vectors or a tenant is
                         named; else bm25 */
    FER_RANK_BM25,
    FER_RANK_EMBEDDING,
    FER_RANK_HYBRID
} fer_rank;

typedef struct fer_search_options {
    const fer_filter *filter; /* or NULL */
    bool explain;             /* say why */
    fer_rank rank;
    fer_str tenant; /* whose uses have a say; empty: nobody's */
    bool twins;     /* show all of those with the same definition */
} fer_search_options;

/*
 * Searches the newest state of a catalogue that was made with `search`. Up to FER_HITS_MAX tools
 * are found for one query, page by page. Where no tool has a vector, rankers that would use them
 * go by words alone, and `score_type` says so. A query that is the ID of a tool finds it first.
 * What was found stays as long as the arena.
 */
FER_API fer_code fer_catalog_search(fer_arena *a, fer_catalog *c, fer_str query,
                                    const fer_search_options *options, const fer_page *page,
                                    fer_found *out, fer_err *err);
/* The same in a view that is held; of one that is not the newest any more, tools that were
 * changed since may be missed. */
FER_API fer_code fer_view_search(fer_arena *a, const fer_view *v, fer_str query,
                                 const fer_search_options *options, const fer_page *page,
                                 fer_found *out, fer_err *err);

/* ---- uses ------------------------------------------------------------------------------------ */

/*
 * After this query the tool was called, with success: from now on the query, and those like it,
 * are more likely to find it, for this tenant. The tool is an ID or alias; all its versions count
 * as one. Past FER_USES_MAX the oldest use is forgotten.
 */
FER_API fer_code fer_catalog_note_use(fer_catalog *c, fer_str tenant, fer_str query, fer_str tool,
                                      fer_err *err);

typedef struct fer_use {
    fer_str tenant;
    fer_str query;
    fer_str tool; /* its ID, without version */
} fer_use;
/* What is remembered, the oldest first, by tenant; an empty `tenant` is all of them. */
FER_API fer_code fer_catalog_uses(fer_arena *a, fer_catalog *c, fer_str tenant, fer_use **out,
                                  size_t *count, fer_err *err);
/* Forgets uses of a tenant: all, or (where it is not empty) those of one tool. How many. */
FER_API size_t fer_catalog_forget_uses(fer_catalog *c, fer_str tenant, fer_str tool);
/* Writes the memory to its file, which is replaced as a whole or not at all. */
FER_API fer_code fer_catalog_save_uses(fer_catalog *c, fer_err *err);
/* What was wrong with the file of uses when it was opened: it is damaged, was given another name,
 * and nothing was remembered. Empty: nothing. */
FER_API fer_str fer_catalog_uses_problem(const fer_catalog *c);

/* ---- looking up ----------------------------------------------------------------------------- */

/*
 * The ID that an ID or alias stands for: without a version, the highest release (of those that
 * satisfy `constraint`, which may be empty). FER_TOOL_NOT_FOUND names what is near.
 */
FER_API fer_code fer_view_resolve(fer_arena *a, const fer_view *v, fer_str id, fer_str constraint,
                                  fer_str *out, fer_err *err);
FER_API fer_code fer_view_summary(fer_arena *a, const fer_view *v, fer_str id, fer_summary *out,
                                  fer_err *err);
FER_API fer_code fer_view_discovery_doc(fer_arena *a, const fer_view *v, fer_str id,
                                        fer_discovery_doc *out, fer_err *err);
FER_API fer_code fer_view_document(fer_arena *a, const fer_view *v, fer_str id, fer_document *out,
                                   fer_err *err);
/* The record, in Ferrule's own form; every value with the bytes that it was given in. */
FER_API fer_code fer_view_definition(fer_arena *a, const fer_view *v, fer_str id, fer_str *out,
                                     fer_err *err);
/* The definition that is held back under an ID. FER_TOOL_NOT_FOUND: none is. */
FER_API fer_code fer_view_pending(fer_arena *a, const fer_view *v, fer_str id, fer_str *out,
                                  fer_err *err);

/*
 * The ToolDoc of a tool, as JSON. FER_TOOL_NOT_FOUND: nothing is known under that ID;
 * FER_DOC_WITHOUT_TOOL: it is documented but not there, which is enough for a summary only.
 */
FER_API fer_code fer_view_describe(fer_arena *a, const fer_view *v, fer_str id, fer_level level,
                                   fer_str *out, fer_err *err);
/* Its examples, at most `max` (0: FER_EXAMPLES_MAX), as a JSON list. */
FER_API fer_code fer_view_examples(fer_arena *a, const fer_view *v, fer_str id, size_t max,
                                   fer_str *out, fer_err *err);

/*
 * Chooses one of several backends: its number, or `count` where none will do.
 * The backends are in the order in which they were registered; there is at least one.
 */
typedef size_t fer_backend_selector(void *context, fer_str id, const fer_backend *backends,
                                    size_t count);
/* The first local one, else the first of a provider, else the first of an MCP server. */
FER_API size_t fer_backend_default(void *context, fer_str id, const fer_backend *backends,
                                   size_t count);
/* The backends of a tool, and (where `chosen` is not NULL) the number of the one that a
 * selector (NULL: the default) chooses. FER_BACKEND_UNAVAILABLE: it has none, or none will do. */
FER_API fer_code fer_view_backends(fer_arena *a, const fer_view *v, fer_str id,
                                   fer_backend_selector *selector, void *context, fer_backend **out,
                                   size_t *count, size_t *chosen, fer_err *err);

/* ---- lists ----------------------------------------------------------------------------------- */

/*
 * One page of the tools, by ID. `*next` is empty on the last. A token is good for the same
 * filter and the same version of the catalogue: FER_STALE_PAGE_TOKEN says to start again,
 * FER_INVALID_PAGE_TOKEN that it was made for something else, or not here.
 */
FER_API fer_code fer_view_list(fer_arena *a, const fer_view *v, const fer_filter *filter,
                               const fer_page *page, fer_summary **out, size_t *count,
                               fer_str *next, fer_err *err);

typedef struct fer_namespace {
    fer_str name; /* empty: tools without one */
    size_t tools;
} fer_namespace;
FER_API fer_code fer_view_namespaces(fer_arena *a, const fer_view *v, const fer_filter *filter,
                                     const fer_page *page, fer_namespace **out, size_t *count,
                                     fer_str *next, fer_err *err);
/* The IDs whose changed definition is held back. */
FER_API fer_code fer_view_quarantined(fer_arena *a, const fer_view *v, const fer_page *page,
                                      fer_str **out, size_t *count, fer_str *next, fer_err *err);
/* How many these are. */
FER_API size_t fer_view_held(const fer_view *v);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "instances.h"

#include <string.h>

#include "errors.h"
#include "json_skim.h"
#include "reader.h"
#include "stream.h"

struct visit {
    fer_arena *arena;
    fer_stream stream;
    fer_instance_visitor *visit;
    void *context;
    fer_instance at; /* the instance at hand */
};

static fer_code hand_over(struct visit *v, fer_code code, const fer_err *why, fer_err *err)
{
    if (code == FER_OUT_OF_MEMORY) {
        if (err) *err = *why;
        return code;
    }
    v->at.failure = code ? why : NULL;
    if (code) v->at.doc = NULL;
    v->at.done = v->stream.offset;
    v->at.size = v->stream.size;
    return v->visit(v->context, &v->at, err);
}

/* A byte order mark may only stand at the very start of the input. */
static fer_code read_line(struct visit *v, fer_err *why)
{
    if (v->at.line > 1 && fer_str_starts(v->at.text, "\xEF\xBB\xBF")) {
        fer_code code = fer_fail_at(why, FER_INVALID_JSON, 0,
                                    "a byte order mark may only be at the start of the input");
        fer_err_locate(why, v->at.text);
        return code;
    }
    return fer_json_read(v->arena, v->at.text, fer_json_limits_file(), &v->at.doc, why);
}

static fer_code visit_lines(struct visit *v, fer_err *err)
{
    for (;;) {
        fer_err why;
        size_t offset = v->stream.offset;
        fer_code code = fer_stream_line(&v->stream, &v->at.text, &why);
        if (code) {
            v->at.text = FER_STR_NONE;
            return hand_over(v, code, &why, err);
        }
        if (!v->at.text.ptr) return FER_OK;
        if (fer_skim_space(v->at.text, 0) == v->at.text.len) continue;
        v->at.line = v->stream.line;
        v->at.offset = offset;
        fer_arena_reset(v->arena);
        code = read_line(v, &why);
        if (code && why.line) why.line += v->at.line - 1;
        code = hand_over(v, code, &why, err);
        if (code) return code;
    }
}

static fer_code visit_whole(struct visit *v, fer_format format, fer_err *err)
{
    fer_err why;
    fer_arena_reset(v->arena);
    fer_code code = fer_stream_rest(&v->stream, &v->at.text, &why);
    if (!code) {
        format = fer_format_detect(v->at.source, v->at.text, format);
        code = format == FER_FORMAT_YAML
                   ? fer_yaml_read(v->arena, v->at.text, fer_json_limits_file(), &v->at.doc, &why)
                   : fer_json_read(v->arena, v->at.text, fer_json_limits_file(), &v->at.doc, &why);
    }
    return hand_over(v, code, &why, err);
}

fer_code fer_instances_visit(fer_arena *a, const char *path, fer_format asked,
                             fer_instance_visitor *visit, void *context, fer_err *err)
{
    struct visit v = {.arena = a, .visit = visit, .context = context};
    fer_format format = asked;
    fer_err why;
    v.at.source = fer_str_of(strcmp(path, "-") == 0 ? "<stdin>" : path);
    fer_code code = fer_stream_open(&v.stream, path, fer_json_limits_file()->size, &why);
    if (code) return hand_over(&v, code, &why, err);
    code = fer_stream_format(&v.stream, asked, &format, &why);
    if (code) code = hand_over(&v, code, &why, err);
    else if (format == FER_FORMAT_JSON_LINES) code = visit_lines(&v, err);
    else code = visit_whole(&v, format, err);
    fer_stream_close(&v.stream);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "effect.h"

#include "json_value.h"

const char *const fer_effect_sources[FER_EFFECT_BY_DEFAULT + 1] = {
    [FER_EFFECT_BY_OPERATOR] = "operator",
    [FER_EFFECT_BY_RECORD] = "record",
    [FER_EFFECT_BY_ANNOTATIONS] = "annotations",
    [FER_EFFECT_BY_DEFAULT] = "default",
};

/* SPEC 6 and RELIABILITY 5.3. A hint that warns counts before one that calms. */
static bool by_hints(const fer_effect_said *s, fer_effect *out)
{
    if (s->read_only && !s->destructive) *out = FER_EFFECT_PURE;
    else if (s->idempotent && !s->destructive) *out = FER_EFFECT_IDEMPOTENT_WRITE;
    else if (s->destructive || s->open_world) *out = FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
    else return false;
    return true;
}

fer_effect fer_effect_settle(const fer_effect_said *s, fer_effect_source *source)
{
    bool believed = !s->foreign || s->trusted;
    fer_effect_source by;
    fer_effect out;
    if (s->has_operator) {
        out = s->by_operator;
        by = FER_EFFECT_BY_OPERATOR;
    } else if (s->has_record && believed) {
        out = s->by_record;
        by = FER_EFFECT_BY_RECORD;
    } else if (believed && by_hints(s, &out)) {
        by = FER_EFFECT_BY_ANNOTATIONS;
    } else {
        out = believed ? FER_EFFECT_NON_IDEMPOTENT_WRITE : FER_EFFECT_EXTERNAL_SIDE_EFFECTS;
        by = FER_EFFECT_BY_DEFAULT;
    }
    if (source) *source = by;
    return out;
}

fer_effect fer_effect_stricter(fer_effect one, fer_effect other)
{
    return one > other ? one : other; /* in the order of the enumeration */
}

bool fer_effect_parse(fer_str name, fer_effect *out)
{
    for (int i = FER_EFFECT_PURE; i <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS; i++) {
        if (!fer_str_is(name, fer_effect_name((fer_effect)i))) continue;
        *out = (fer_effect)i;
        return true;
    }
    return false;
}

void fer_effect_read(const fer_tool *t, fer_effect_said *s)
{
    const yyjson_val *said = fer_tool_field(t, "effect"), *hints = fer_tool_field(t, "annotations");
    s->has_record = fer_is_str(said) && fer_effect_parse(fer_val_str(said), &s->by_record);
    if (!fer_is_obj(hints)) return;
    s->read_only = fer_is_true(fer_val_get(hints, "readOnlyHint"));
    s->idempotent = fer_is_true(fer_val_get(hints, "idempotentHint"));
    s->destructive = fer_is_true(fer_val_get(hints, "destructiveHint"));
    s->open_world = fer_is_true(fer_val_get(hints, "openWorldHint"));
}

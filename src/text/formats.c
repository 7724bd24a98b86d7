/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

#include "formats_shared.h"
#include "uri.h"

static int check_uri(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_uri_is(s);
}

static int check_uri_reference(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_uri_is_reference(s);
}

static int check_iri(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_iri_is(s);
}

static int check_iri_reference(fer_arena *scratch, fer_str s)
{
    (void)scratch;
    return fer_iri_is_reference(s);
}

static const fer_text_format formats[] = {
    {"date", 7, FER_DRAFT_V1, fer_format_date, "a date such as 2026-11-16 (RFC 3339)"},
    {"date-time", 4, FER_DRAFT_V1, fer_format_date_time,
     "a date and time with an offset such as 2026-11-16T09:30:00Z (RFC 3339)"},
    {"duration", 2019, FER_DRAFT_V1, fer_format_duration,
     "a duration such as P3DT12H30M or P2W (ISO 8601 as in RFC 3339, appendix A)"},
    {"email", 4, FER_DRAFT_V1, fer_format_email,
     "an e-mail address such as user@example.com (RFC 5321)"},
    {"hostname", 4, FER_DRAFT_V1, fer_format_hostname,
     "a host name such as www.example.com (RFC 1123)"},
    {"idn-email", 7, FER_DRAFT_V1, fer_format_idn_email,
     "an e-mail address such as user@example.com, where letters of any script may stand (RFC 6531)"},
    {"idn-hostname", 7, FER_DRAFT_V1, fer_format_idn_hostname,
     "a host name such as www.example.com, where letters of any script may stand (RFC 5890)"},
    {"ipv4", 4, FER_DRAFT_V1, fer_format_ipv4,
     "an IPv4 address such as 192.0.2.1, without leading zeros (RFC 2673)"},
    {"ipv6", 4, FER_DRAFT_V1, fer_format_ipv6,
     "an IPv6 address such as 2001:db8::1, without a zone (RFC 4291)"},
    {"iri", 7, FER_DRAFT_V1, check_iri,
     "an IRI with its scheme such as https://example.com/path, where letters of any script may stand (RFC 3987)"},
    {"iri-reference", 7, FER_DRAFT_V1, check_iri_reference,
     "an IRI or a relative reference such as ../path#part, where letters of any script may stand (RFC 3987)"},
    {"json-pointer", 6, FER_DRAFT_V1, fer_format_json_pointer,
     "a JSON Pointer such as /items/0/name (RFC 6901)"},
    {"regex", 7, FER_DRAFT_V1, fer_format_regex,
     "a regular expression such as ^[a-z]+$ (ECMA-262)"},
    {"relative-json-pointer", 7, 2019, fer_format_relative_pointer,
     "a relative JSON Pointer such as 1/name or 0#"},
    {"relative-json-pointer", 2020, FER_DRAFT_V1, fer_format_relative_pointer_2020,
     "a relative JSON Pointer such as 1/name, 0-1/name or 0#"},
    {"time", 7, FER_DRAFT_V1, fer_format_time,
     "a time with an offset such as 09:30:00Z or 09:30:00+01:00 (RFC 3339)"},
    {"uri", 4, FER_DRAFT_V1, check_uri,
     "a URI with its scheme such as https://example.com/path (RFC 3986)"},
    {"uri-reference", 6, FER_DRAFT_V1, check_uri_reference,
     "a URI or a relative reference such as ../path#part (RFC 3986)"},
    {"uri-template", 6, FER_DRAFT_V1, fer_format_uri_template,
     "a URI template such as https://example.com/users/{id} (RFC 6570)"},
    {"uuid", 2019, FER_DRAFT_V1, fer_format_uuid,
     "a UUID such as 123e4567-e89b-12d3-a456-426614174000 (RFC 4122)"},
};

const fer_text_format *fer_text_formats(size_t *count)
{
    *count = FER_COUNT(formats);
    return formats;
}

const fer_text_format *fer_text_format_find(fer_str name, unsigned draft)
{
    for (size_t i = 0; i < FER_COUNT(formats); i++) {
        const fer_text_format *f = &formats[i];
        if (draft >= f->from && draft <= f->to && fer_str_is(name, f->name)) return f;
    }
    return NULL;
}

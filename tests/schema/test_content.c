/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings of content: the vectors of RFC 4648, and what is not in an encoding. */
#include "content.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *encoding;
    const char *text;
    const char *bytes; /* NULL: not in that encoding */
} rows[] = {
    {"RFC 4648: base64 0", "base64", "", ""},
    {"RFC 4648: base64 1", "base64", "Zg==", "f"},
    {"RFC 4648: base64 2", "base64", "Zm8=", "fo"},
    {"RFC 4648: base64 3", "base64", "Zm9v", "foo"},
    {"RFC 4648: base64 4", "base64", "Zm9vYg==", "foob"},
    {"RFC 4648: base64 5", "base64", "Zm9vYmE=", "fooba"},
    {"RFC 4648: base64 6", "base64", "Zm9vYmFy", "foobar"},
    {"RFC 4648: base32 1", "base32", "MY======", "f"},
    {"RFC 4648: base32 2", "base32", "MZXQ====", "fo"},
    {"RFC 4648: base32 3", "base32", "MZXW6===", "foo"},
    {"RFC 4648: base32 4", "base32", "MZXW6YQ=", "foob"},
    {"RFC 4648: base32 5", "base32", "MZXW6YTB", "fooba"},
    {"RFC 4648: base32 6", "base32", "MZXW6YTBOI======", "foobar"},
    {"RFC 4648: base32hex 1", "base32hex", "CO======", "f"},
    {"RFC 4648: base32hex 2", "base32hex", "CPNG====", "fo"},
    {"RFC 4648: base32hex 3", "base32hex", "CPNMU===", "foo"},
    {"RFC 4648: base32hex 4", "base32hex", "CPNMUOG=", "foob"},
    {"RFC 4648: base32hex 5", "base32hex", "CPNMUOJ1", "fooba"},
    {"RFC 4648: base32hex 6", "base32hex", "CPNMUOJ1E8======", "foobar"},
    {"RFC 4648: base16 1", "base16", "66", "f"},
    {"RFC 4648: base16 6", "base16", "666F6F626172", "foobar"},
    {"base16, small letters", "base16", "6a6B", "jk"},
    {"all of base64", "base64", "+/+/", "\xFB\xFF\xBF"},
    {"all of base64url", "base64url", "-_-_", "\xFB\xFF\xBF"},
    {"base64url without padding", "base64url", "Zg", "f"},
    {"base64url without padding, 2", "base64url", "Zm8", "fo"},
    {"base64url with padding", "base64url", "Zg==", "f"},
    {"the encoding in any case", "Base64", "Zm9v", "foo"},
    {"7bit", "7bit", "any text", "any text"},
    {"8bit", "8bit", "\xC3\xA9", "\xC3\xA9"},
    {"binary", "BINARY", "=", "="},

    {"base64 without padding", "base64", "Zg", NULL},
    {"base64 with too little", "base64", "Zg=", NULL},
    {"base64 with too much", "base64", "Zm8==", NULL},
    {"base64, a whole group and padding", "base64", "Zm9v====", NULL},
    {"base64, only padding", "base64", "====", NULL},
    {"base64, one equals sign", "base64", "=", NULL},
    {"base64, padding in the middle", "base64", "Zg==Zg==", NULL},
    {"base64, one character of a group", "base64", "Zm9vZ", NULL},
    {"base64, one character and padding", "base64", "Z===", NULL},
    {"base64, bits that are left over", "base64", "Zh==", NULL},
    {"base64, bits that are left over, 2", "base64", "Zm9=", NULL},
    {"base64, a blank", "base64", "Zm 9v", NULL},
    {"base64, a line end", "base64", "Zm9v\n", NULL},
    {"base64, the other alphabet", "base64", "-_-_", NULL},
    {"base64url, the other alphabet", "base64url", "+/+/", NULL},
    {"base64url, one character", "base64url", "Z", NULL},
    {"base64url, half the padding", "base64url", "Zg=", NULL},
    {"base64url, bits that are left over", "base64url", "Zh", NULL},
    {"base64, past ASCII", "base64", "Zm\xC3\xA9", NULL},
    {"base32, small letters", "base32", "my======", NULL},
    {"base32, a 1", "base32", "M1======", NULL},
    {"base32, three characters", "base32", "MZX=====", NULL},
    {"base32, six characters", "base32", "MZXW6Y==", NULL},
    {"base32, without padding", "base32", "MY", NULL},
    {"base32, bits that are left over", "base32", "MZ======", NULL},
    {"base32hex, a W", "base32hex", "CW======", NULL},
    {"base16, odd", "base16", "666", NULL},
    {"base16, a G", "base16", "6G", NULL},
    {"base16, padding", "base16", "6=", NULL},
    {"base16, padding alone", "base16", "66=", NULL},
};

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_str out = FER_STR("untouched");
    fer_content_decode *decode = fer_content_find(fer_str_of(row->encoding));
    assert_non_null(decode);
    fer_code code = decode(a, fer_str_of(row->text), &out);
    if (!row->bytes && code == FER_INVALID_FORMAT) {
        assert_str(out, "untouched");
        return FER_OK;
    }
    if (code) return code;
    assert_non_null(row->bytes);
    assert_str(out, row->bytes);
    return FER_OK;
}

static void run(const struct row *row)
{
    rows_torture_arena(attempt, row);
}

static void a_nul_is_no_digit(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    static const char text[] = "Zm\0v";
    assert_int_equal(fer_content_find(FER_STR("base64"))(a, (fer_str){text, 4}, &out),
                     FER_INVALID_FORMAT);
    fer_arena_free(a);
}

static const struct name {
    const char *name;
    bool known;
} names[] = {
    {"base64", true}, {"BASE32HEX", true}, {"quoted-printable", false},
    {"", false},      {"base", false},     {"base64 ", false},
    {"gzip", false},  {"7BIT", true},
};

static void run_name(const struct name *row)
{
    assert_int_equal(fer_content_find(fer_str_of(row->name)) != NULL, row->known);
}

static const struct name types[] = {
    {"application/json", true},
    {"Application/JSON", true},
    {"application/json; charset=utf-8", true},
    {"application/json ;charset=utf-8", true},
    {"application/ld+json", true},
    {"application/problem+json;x=y", true},
    {"text/json", false},
    {"application/jsonl", false},
    {"application/json5", false},
    {"+json", false},
    {"", false},
    {";", false},
    {"text/plain; application/json", false},
};

static void run_type(const struct name *row)
{
    assert_int_equal(fer_content_is_json(fer_str_of(row->name)), row->known);
}

int main(void)
{
    return ROWS_RUN("content", rows, run) + ROWS_ONE("content", a_nul_is_no_digit) +
           ROWS_RUN("encodings", names, run_name) + ROWS_RUN("media types", types, run_type);
}

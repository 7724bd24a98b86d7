/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers taken apart, and sets of words. */
#include "words.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *words; /* joined by | */
} rows[] = {
    {"", ""},
    {"get", "get"},
    {"get_user", "get|user"},
    {"get-user", "get|user"},
    {"get.user.v2", "get|user|v2"},
    {"getUser", "get|User"},
    {"GetUserName", "Get|User|Name"},
    {"HTTPServer", "HTTP|Server"},
    {"getHTTP", "get|HTTP"},
    {"userID", "user|ID"},
    {"userIDs", "user|IDs"},
    {"userIDsOnly", "user|IDs|Only"},
    {"issueId", "issue|Id"},
    {"timeoutMs", "timeout|Ms"},
    {"v2beta1Api", "v2beta1|Api"},
    {"a1B2", "a1|B2"},
    {"_x__y_", "x|y"},
    {"--", ""},
    {"ABC", "ABC"},
    {"ABc", "A|Bc"},
    {"get_Caf\xC3\xA9s", "get|Caf\xC3\xA9s"},
    {"TwilioApi--ListX", "Twilio|Api|List|X"},
    {"a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p_q_r_s_t_u_v_w_x_y",
     "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x_y"},
};

static void run(const struct row *row)
{
    char text[256] = "";
    size_t len = 0;
    fer_name_words w;
    fer_words_split(&w, fer_str_of(row->name));
    for (size_t i = 0; i < w.count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s", i ? "|" : "",
                                FER_PRI(w.list[i]));
    assert_string_equal(text, row->words);
}

static const char *const few[] = {"api", "apis", "get", "list", "zip"};
static const fer_word_set set = FER_WORD_SET(few);

static const struct in {
    const char *name;
    bool in;
} words[] = {{"api", true},   {"API", true}, {"apis", true},  {"Zip", true}, {"ap", false},
             {"apix", false}, {"", false},   {"zips", false}, {"GET", true}, {"a", false}};

static void look_up(const struct in *row)
{
    assert_int_equal(fer_word_in(&set, fer_str_of(row->name)), row->in);
}

int main(void)
{
    return ROWS_RUN("words", rows, run) + ROWS_RUN("word sets", words, look_up);
}

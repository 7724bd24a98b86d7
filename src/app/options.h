/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the commands, for their rows. */
#ifndef FER_OPTIONS_H
#define FER_OPTIONS_H

#include "command.h"

extern const fer_option fer_blame_options[];
extern const fer_option fer_bundle_options[];
extern const fer_option fer_call_back_options[];
extern const fer_option fer_catalog_decide_options[];
extern const fer_option fer_catalog_events_options[];
extern const fer_option fer_catalog_quarantine_options[];
extern const fer_option fer_catalog_update_options[];
extern const fer_option fer_chain_options[];
extern const fer_option fer_check_options[];
extern const fer_option fer_config_check_options[];
extern const fer_option fer_convert_options[];
extern const fer_option fer_describe_options[];
extern const fer_option fer_diff_options[];
extern const fer_option fer_eval_options[];
extern const fer_option fer_exec_options[];
extern const fer_option fer_fmt_options[];
extern const fer_option fer_from_json_options[];
extern const fer_option fer_id_options[];
extern const fer_option fer_import_openapi_options[];
extern const fer_option fer_index_build_options[];
extern const fer_option fer_index_stats_options[];
extern const fer_option fer_info_options[];
extern const fer_option fer_keys_list_options[];
extern const fer_option fer_keys_resolve_options[];
extern const fer_option fer_keys_show_options[];
extern const fer_option fer_keys_sweep_options[];
extern const fer_option fer_ledger_export_options[];
extern const fer_option fer_ledger_prune_options[];
/* Those of accept, behind the age. */
#define fer_ledger_accept_options (fer_ledger_prune_options + 1)
extern const fer_option fer_ledger_query_options[];
extern const fer_option fer_ledger_tail_options[];
extern const fer_option fer_ledger_verify_options[];
extern const fer_option fer_lint_options[];
extern const fer_option fer_list_options[];
extern const fer_option fer_lock_options[];
extern const fer_option fer_namespaces_options[];
extern const fer_option fer_new_options[];
extern const fer_option fer_no_options[];
extern const fer_option fer_profiles_options[];
extern const fer_option fer_result_options[];
extern const fer_option fer_run_options[];
extern const fer_option fer_call_options[];
extern const fer_option fer_init_options[];
extern const fer_option fer_inspect_options[];
extern const fer_option fer_install_options[];
extern const fer_option fer_search_options[];
extern const char *const fer_mode_choices[]; /* of --mode */
extern const fer_option fer_serve_options[];
extern const fer_option fer_cost_options[];
extern const fer_option fer_servers_options[];
extern const fer_option fer_show_options[];
extern const fer_option fer_tags_options[];
extern const fer_option fer_tool_convert_options[];
extern const fer_option fer_token_list_options[];
extern const fer_option fer_token_new_options[];
extern const fer_option fer_auth_options[];
extern const fer_option fer_auth_status_options[];
extern const fer_option fer_token_options[];
extern const fer_option fer_doctor_options[];
extern const fer_option fer_tools_options[];
extern const fer_option fer_top_options[];
extern const fer_option fer_usage_list_options[];
extern const fer_option fer_usage_options[];
extern const fer_option fer_validate_options[];
extern const fer_option fer_version_options[];

#endif

//! Which test looks at what a server owes by the revision 2026-07-28, and at what has gone wrong on
//! servers elsewhere. A test is named by its file, `::` and its function.
//!
//! Every message of every test also goes through `shapes`: each result has `resultType` and names
//! its server; only the three methods that may ask do; a question is one of the known kinds, its keys
//! are unique, its form is flat; an ask says at least one of questions and state and is not cached; an
//! error has a code of the table and repeats the id; no reply is a request, opens a session or has a
//! null. `shapes/broken` shows that these checks complain.
//!
//! # What the revision asks for
//!
//! | obligation | test |
//! | --- | --- |
//! | `_meta` has version and capabilities: 400, -32602 | `table::missing_meta_keys_are_invalid_params` |
//! | headers repeat version, method and name: 400, -32020 | `table::headers_that_differ_from_the_body_are_refused_and_nothing_runs` |
//! | header names ignore case, values are decoded and compare by case | `table::header_names_ignore_case_and_names_are_decoded` |
//! | marked arguments are repeated in `Mcp-Param-*` | `param_headers::a_header_must_repeat_the_argument_that_its_tool_marks` |
//! | an unknown version: 400, -32022 with what is supported | `table::an_unknown_version_is_told_what_is_supported` |
//! | an undeclared capability: 400, -32021 with what is required | `table::a_client_without_forms_is_never_asked` |
//! | modes and kinds are asked only when declared in this request | `questions::a_mode_that_is_not_declared_is_never_asked`, `questions::sampling_its_tools_and_roots_have_to_be_declared`, `workflow::a_capability_dropped_between_rounds_counts_at_once` |
//! | an unknown method: 404, -32601 | `table::unknown_methods_are_not_found` |
//! | a foreign `Origin`: 403; GET and DELETE: 405 with `Allow`; one path | `table::what_http_alone_refuses` |
//! | a foreign `Host` | `callers::a_name_that_was_pointed_here_is_turned_away` |
//! | no or an unknown token: 401; too little scope: 403; with `WWW-Authenticate` | `callers::without_a_known_token_nobody_comes_in`, `callers::a_tool_that_is_not_permitted_is_told_from_one_that_there_is_not` |
//! | not JSON: -32700; a batch, a response, a null id: -32600 | `table::what_json_rpc_refuses` |
//! | ids of any size come back as they were | `table::ids_come_back_byte_for_byte` |
//! | unknown tool, prompt, resource; wrong parameters: -32602; a tool's own failure is a result | `table::wrong_parameters_are_told_from_tools_that_fail` |
//! | a log level: none without it, none below it, -32602 for a wrong one | `streaming::log_lines_come_only_when_asked_for_and_only_the_grave_enough`, `streaming::a_log_level_that_there_is_not_is_invalid_for_every_method` |
//! | pages: opaque cursors, an empty one is one, a wrong one -32602; order and `cacheScope` as on one page | `lists::pages_put_together_are_the_list_whichever_replica_gives_them`, `lists::a_cursor_that_nobody_gave_out_is_invalid` |
//! | completion of prompt arguments and template variables | `lists::arguments_and_variables_are_completed` |
//! | `requestState` on other methods changes nothing | `table::lists_complete_whatever_else_they_carry` |
//! | a state that was changed in any way is refused with an error | `state::every_change_of_a_state_is_refused_alike`, `state::another_key_refuses_and_says_nothing_about_it` |
//! | a state belongs to its principal | `callers::a_state_belongs_to_the_principal_and_not_to_one_of_its_tokens` |
//! | a state expires | `state::a_state_lives_for_its_time_and_not_a_second_longer`, `state::asking_again_does_not_move_the_deadline_of_the_workflow` |
//! | a state belongs to its method, target and arguments | `state::a_state_is_bound_to_what_it_was_minted_for` |
//! | single use, where it matters, needs a record | `store::a_code_is_redeemed_once_on_three_replicas_only_if_they_share_a_record` |
//! | a server may ask for ever | `load_tools::nagging_outlasts_any_client` |
//! | malformed answers: -32602 | `workflow::malformed_answers_are_invalid_params`, `questions::malformed_answers_of_each_kind_are_invalid_params` |
//! | unknown keys are ignored, missing answers asked for again | `workflow::unknown_keys_are_ignored_and_missing_answers_asked_for_again`, `questions::answers_may_come_in_pieces_from_replica_to_replica` |
//! | decline and cancel are handled | `workflow::decline_and_cancel_end_the_workflow`, `questions::decline_and_cancel_are_answers_too` |
//! | every round may land elsewhere | `workflow::every_round_of_a_wizard_may_land_on_the_other_replica`, `workflow::prompts_and_resources_ask_across_replicas_too` |
//! | a workflow outlives its first replica | `statelessness::a_workflow_outlives_the_replica_that_began_it` |
//! | nothing is taken over from an earlier request on the connection | `statelessness::a_connection_lends_nothing_to_the_next_request`, `statelessness::one_connection_or_one_for_each_request_makes_no_difference` |
//! | lists vary neither by connection nor by side effect | `statelessness::lists_are_the_same_everywhere_and_after_anything` |
//! | calls are limited | `limit::the_limiter_stands_before_the_state_and_counts_by_principal` |
//! | a notification: 202 and no body | `table::notifications_are_taken_in_silence` |
//! | a reply is JSON or events, and the result ends the stream | `streaming::progress_comes_before_the_result_in_events`, `streaming::the_sse_form_sends_every_result_as_an_event_and_errors_as_json` |
//! | a closed connection cancels | `load_tools::work_that_nobody_waits_for_does_not_complete` |
//! | session and event ids are ignored | `table::sessions_and_event_ids_are_ignored_and_none_is_minted` |
//! | a listener is told what it asked for, under its id, until either side ends it | `subscriptions::what_was_asked_for_is_told_under_the_requests_id`, `subscriptions::a_stop_ends_subscriptions_with_a_result_and_waits_for_nothing_else` |
//!
//! # What went wrong elsewhere
//!
//! | seen in | what | test |
//! | --- | --- | --- |
//! | python-sdk #3032 | keys that are not shared refuse each other's states | `state::another_key_refuses_and_says_nothing_about_it` |
//! | rust-sdk #1128 | a rotation out of order breaks workflows in flight | `faults/keys::a_rotation_in_order_refuses_nothing_until_the_old_key_is_dropped`, `faults/keys::minting_before_all_accept_is_refused_by_those_who_do_not` |
//! | ori-runtime #155 | nobody can tell when the old key may go | `metrics::states_are_counted_by_the_key_that_sealed_them` |
//! | archestra #6930 | each missing binding is another attack | `statelessness::six_replays_are_refused_alike_and_run_nothing`, `faults/state::each_control_takes_exactly_one_check_away` |
//! | python-sdk #3032 (review) | an answer to old words is taken for one to new words | `faults/questions::an_answer_to_other_words_is_asked_for_again` |
//! | conformance #467 | a check is green since another rule refused | `access_log::a_bad_state_behind_a_bad_header_was_never_looked_at` |
//! | MCPJam inspector #3430, airlift #2079 | rounds without questions are retried at once, or taken for the end | `load_tools::shedding_sends_away_without_a_question_until_the_time_has_passed` |
//! | airlift #2079 (review) | bare content is taken for an answer | `questions::a_resource_does_not_take_bare_content_for_an_answer` |
//! | gollem #259 | an id went through a float | `table::ids_come_back_byte_for_byte` |
//! | mcp-gateway #1517 | answers that are missing: refused or asked for again | `questions::answers_may_come_in_pieces_from_replica_to_replica` |
//! | mcpsnoop #133 | a client changes, drops or invents the state and nobody knows which | `access_log::six_faults_of_a_state_have_their_causes_in_the_log_alone` |
//! | rust-sdk #1097 | unknown members beside questions stop a client | `faults/replies::unknown_members_stand_beside_questions` |
//! | SwiftMCP #160 | answers go by the order of questions | `faults/questions::several_questions_come_in_another_order_on_another_replica` |
//! | ruby-mcp-client #245 and others | an empty elicitation capability is read as every mode | `questions::a_mode_that_is_not_declared_is_never_asked` |
//! | pgedge-postgres-mcp #215 | -32021 comes with status 200 | `faults/replies::a_missing_capability_can_be_told_with_status_200` |
//! | typescript-sdk #2328 | names outside ASCII fail in the header, or are taken raw | `table::header_names_ignore_case_and_names_are_decoded` |
//! | meshery-mcp-server #52 | the body's tool ran although the header named another | `table::headers_that_differ_from_the_body_are_refused_and_nothing_runs` |
//! | agentgateway #2980 | one replica speaks only an older revision | `faults/replies::only_an_older_revision_can_be_spoken` |
//! | Citadel #45, opencode #37019 | `Accept` fails by its order or with wildcards | `table::what_http_alone_refuses` |
//! | python-sdk docs/run/deploy.md | any host name but localhost is turned away without a word why | `callers::a_name_that_was_pointed_here_is_turned_away` |
//! | MediaWiki-MCP-Server #320 | the body limit is not where it is said to be | `body::a_body_of_exactly_the_limit_is_served_and_one_byte_more_is_not` |
//! | github-mcp-server #3111 | the body is buffered before its limit is looked at | `hostile/large::many_bodies_far_beyond_the_limit_are_all_refused_while_others_are_served` |
//! | aionrs #134, eko #287 | readers know one kind of line end | `faults/replies::streams_end_their_lines_as_they_are_told`, `faults/connections::a_stream_drips_byte_by_byte_with_any_line_end` |
//! | Meraki.Api #389 | a limit is told inside a result | `limit_signal::results_say_it_in_four_ways` |
//! | gemini-cli #6194 | a tool's failure counts as success | `faults/replies::every_tenth_tool_call_fails_and_is_not_executed` |
//! | mcp-context-forge, mcp-hangar #790 | each replica admits the whole limit | `limit::three_replicas_with_the_full_limit_admit_three_times_as_much`, `limit::three_replicas_that_share_the_limit_admit_it` |
//! | go-retryablehttp #297 | a `Retry-After` that overflows | `limit_signal::retry_after_comes_as_seconds_date_or_any_text` |
//! | moira #161 | a lost reply makes the action happen twice | `faults/connections::a_connection_is_cut_before_or_after_its_request_is_executed`, `store::a_state_sent_again_to_one_replica_is_used_once_if_that_remembers` |
//! | typescript-sdk #2090 | servers keep something of each request | `faults::requests_leak_what_they_are_told_to` |
//! | Yuzu #4765 | what was cancelled goes on | `load_tools::work_that_nobody_waits_for_does_not_complete` |

use std::path::Path;

/// A table that names tests which are gone would promise what nobody looks at.
#[test]
fn every_test_that_is_named_here_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let rows = include_str!("contract.rs")
        .lines()
        .filter(|line| line.starts_with("//! |") && line.contains("::"));
    let mut named = 0;
    for row in rows {
        let tests = row.rsplit('|').nth(1).unwrap();
        for test in tests.split(", ") {
            let test = test.trim().trim_matches('`');
            let (file, function) = test.split_once("::").unwrap();
            let source = std::fs::read_to_string(folder.join(format!("{file}.rs"))).unwrap();
            let marked = source.split("test]\n").skip(1).any(|from_there| {
                let head = from_there.split_once('(').map_or("", |(head, _)| head);
                head.ends_with(&format!("fn {function}"))
            });
            assert!(marked, "no test {test}");
            named += 1;
        }
    }
    assert!(named > 70, "only {named} tests are named");
}

//! The contract suite: every story runs on every backend.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stories;

/// Names every story once, and runs each on each backend.
macro_rules! on_every_backend {
    ($($noun:ident: $($story:ident),+ $(,)?;)+) => {
        mod sqlite {
            use std::sync::Arc;

            $(mod $noun {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    let (_folder, store) = super::open();
                    crate::stories::$noun::$story(store).await;
                })+
            })+

            fn open() -> (tempfile::TempDir, Arc<dyn afterword_store::Store>) {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("afterword.db");
                let store = afterword_store::sqlite::SqliteStore::open(&path).unwrap();
                (folder, Arc::new(store))
            }
        }

        mod postgres {
            use std::sync::Arc;

            use afterword_store::postgres::{PostgresOptions, PostgresPool, TenantId};
            use afterword_testkit::{Database, Postgres};
            use tokio::sync::OnceCell;

            $(mod $noun {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    if let Some(store) = super::open().await {
                        crate::stories::$noun::$story(store).await;
                    }
                })+
            })+

            async fn open() -> Option<Arc<dyn afterword_store::Store>> {
                static EMPTY: OnceCell<Database> = OnceCell::const_new();
                let server = Postgres::locate_or_skip()?;
                // The schema is made once; each story gets a copy.
                let connect = async |database: &Database| {
                    PostgresPool::connect(&database.url, &PostgresOptions::default()).await.unwrap()
                };
                let prepare = async || {
                    let database = server.database();
                    drop(connect(&database).await);
                    database
                };
                let database = server.copy_of(EMPTY.get_or_init(prepare).await);
                Some(Arc::new(connect(&database).await.tenant(TenantId::DEFAULT)))
            }
        }
    };
}

on_every_backend! {
    projects: keys_decide_and_names_are_labels, a_name_alone_finds_the_newest_of_that_name;
    sessions: lists_are_newest_first, agents_are_listed_once, idle_sessions_end_and_come_back,
        o5_a_late_end_does_not_end_a_resumed_session, what_was_given_is_remembered,
        a_session_is_told_of_a_file_once;
    events: prompts_are_numbered_and_events_follow_them, events_join_their_turn_by_id,
        g2_a_known_key_is_a_duplicate, f2_a_private_turn_is_not_stored,
        a_private_prompt_without_an_id_hides_events_with_one,
        o1_a_cleared_session_goes_on_in_its_own_conversation,
        o1_two_cleared_worktrees_are_told_apart,
        o1_a_fork_or_resume_joins_the_only_recent_conversation,
        g1_the_same_words_again_are_no_duplicates,
        g2_two_reports_of_one_happening_are_one_row,
        f2_a_private_prompt_between_makes_the_second_a_new_one,
        o2_compactions_are_owed_a_follow_up, e9_payloads_go_and_events_stay, h6_the_project_is_pinned,
        i11_session_end_drops_nothing, i15_any_event_makes_its_session,
        digests_come_head_and_tail, digests_of_a_session_come_after_an_event,
        tool_uses_are_found_by_what_is_known_of_them;
    jobs: a_burst_gathers_and_a_stop_is_due_at_once, the_next_prompt_closes_the_turn,
        a_job_is_claimed_once,
        p2_a_session_with_many_turns_keeps_no_other_waiting, later_events_make_it_wait_again,
        g3_a_turn_saved_again_is_updated, of_many_turns_the_first_and_the_newest_are_given,
        forgotten_findings_stay_forgotten,
        provider_rows_outlive_the_rules, i4_the_third_failure_parks,
        a_parked_turn_wakes_with_a_new_event, evidence_leads_back_to_events,
        i9_many_waiting_turns_slow_nothing;
    model_jobs: a_model_job_is_claimed_and_saved_once, rules_leave_a_models_rows_alone,
        what_was_forgotten_meanwhile_is_not_told_again, a_lost_call_is_a_lost_try,
        a_session_waits_for_its_turns_and_is_opened_again_by_new_ones,
        a_dropped_job_of_the_rules_leaves_every_count_whole,
         what_a_budget_keeps_back_is_freed_before_its_time;
    changes: changes_are_told_in_order_and_their_numbers_stay,
        what_went_is_told_as_forgotten_or_replaced, an_old_place_in_the_log_is_lost,
        i12_a_persons_words_outlive_rules_and_model, a_persons_session_summary_gives_way_to_later_work,
        an_edited_memory_keeps_its_history, g7_merged_rows_become_one_with_all_evidence,
        what_cannot_be_revised_changes_nothing;
    rows: rows_come_in_the_order_asked, rows_of_a_session_come_in_order,
        rows_of_a_kind_come_page_by_page, rows_are_counted_by_day, recent_rows_are_newest_first,
        forgetting_leaves_nothing_to_read, neighbours_stand_by_time_on_both_sides,
        k11_a_forgotten_prompt_leaves_its_event_empty;
    memories: g6_the_same_text_is_one_memory, a_memory_gains_the_files_it_is_told_with, memories_are_listed_by_last_change,
        snapshots_reach_to_an_event_and_take_a_summary;
    owned: a_memory_is_somebodys, lists_are_newest_first_and_paged, filters_hold_for_lists,
        a_search_stays_with_its_owners, a_change_is_whole_or_nothing,
        a_history_outlives_its_texts, what_is_deleted_leaves_no_text_and_no_name,
        feedback_goes_with_its_memory, an_owner_goes_out_and_comes_in;
    receipts: a_receipt_is_one_however_often_it_is_asked_for,
        a_request_is_kept_until_it_is_done, a_request_fails_at_the_fifth_try,
        what_is_deleted_meanwhile_comes_to_nothing;
    search: titles_weigh_more_than_text, k3_no_term_is_syntax, k5_filters_come_before_the_limit,
        scope_words_are_no_terms, totals_and_frequencies_are_exact_in_small_stores,
        common_terms_still_find, the_newest_fit_the_filters, an_update_replaces_the_old_words,
        k2_cjk_terms_find_themselves, rows_of_a_period_are_found_without_a_term,
        named_rows_are_found_without_a_term, k9_common_terms_are_estimated,
        a_day_ends_where_the_next_begins, the_last_rows_with_a_token_are_found;
    portable: r4_an_export_is_lossless, g5_importing_three_times_changes_nothing,
        forgotten_rows_are_not_imported, rows_without_uid_are_known_by_their_text,
        only_text_is_needed, pages_follow_the_cursor,
        what_took_a_memorys_place_is_exported;
    vectors: rows_wait_newest_first_until_they_are_embedded, vectors_are_read_by_page_and_part,
        a_row_that_changed_or_went_gets_no_stale_vectors, changes_are_told_once_and_in_order,
        spaces_are_never_mixed_and_the_old_one_goes, a_dimension_is_part_of_a_space,
        a_row_goes_by_what_stands_before_it;
    spend: what_is_set_aside_counts_until_it_is_settled, what_is_not_settled_stays_charged,
        i1_the_cap_is_kept_whoever_asks_at_once, a_cap_of_cost_needs_a_price,
        a_session_has_a_soft_share_and_a_backlog_a_hard_one,
        a_clock_that_is_set_back_opens_no_cap_again, a_clock_that_was_far_ahead_shuts_no_cap_for_long,
        spending_is_added_up_four_ways, absurd_numbers_shut_the_day_and_break_nothing;
    answers: i12_an_answer_outlives_the_process_until_it_is_used,
        i12_an_answer_that_nobody_can_read_costs_one_try,
        an_answer_goes_with_what_is_dropped_or_forgotten,
        a_dropped_session_is_summed_up_again_after_its_next_turn,
        facts_are_added_repeated_and_take_places, a_fact_that_came_back_holds_again,
        a_forgotten_fact_gives_its_place_back,
        i12_an_inference_keeps_its_answer_until_it_is_saved;
    settings: values_are_kept, stages_add_up,
        sessions_that_bring_nothing_are_counted_until_something_comes, a_healthy_store_has_no_problems;
}

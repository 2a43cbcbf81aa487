//! report.json.

use std::fs;

use mynah::simulate::{MessageDistributionStats, analyse, merge, write_html};
use serde_json::json;

use super::{
    conversation, from_recording, json, report, simulate, simulate_shard, simulated, support, texts,
};
use crate::support::scratch;

#[tokio::test]
async fn counts_outcomes_end_reasons_failures_and_tools() {
    let report = json(&report(100, support).await);
    assert_eq!((&report["run"], &report["conversations"]), (&json!("Support desk"), &json!(100)));
    assert_eq!(report["completed"], 90);
    assert_eq!(
        report["end_reasons"],
        json!({"both_passed": 20, "max_messages": 10, "outcome_followup": 60, "participant_error": 10})
    );
    let distribution = &report["outcome_comparison"]["simulated_distribution"];
    assert_eq!(distribution["total_conversations"], 90);
    assert_eq!(distribution["outcome_counts"], json!({"escalated": 20, "resolved": 60}));
    assert_eq!(distribution["conversations_without_outcome"], 10);
    let percentage = distribution["outcome_percentages"]["resolved"].as_f64().unwrap();
    assert!((percentage - 66.667).abs() < 0.001);
    assert_eq!(report["failures"]["total"], 10);
    let failure = json!({
        "id": "refund-9",
        "end_reason": "participant_error",
        "error": "agent desk: 503 Service Unavailable",
    });
    assert_eq!(report["failures"]["examples"][0], failure);
    assert_eq!(report["tool_use"]["refund"], json!({"calls": 50, "conversations": 50}));
    let scenario = &report["scenarios"]["refund"];
    assert_eq!((&scenario["conversations"], &scenario["failed"]), (&json!(34), &json!(4)));
    assert_eq!(report["adversarial_evaluation"], json!(null));
}

#[tokio::test]
async fn the_report_of_merged_shards_equals_that_of_the_whole_run() {
    for play in [support, from_recording] {
        let whole = report(50, play).await;
        let folder = scratch("shards");
        let mut shards = Vec::new();
        for name in ["2/3", "0/3", "1/3"] {
            let shard = folder.join(&name[..1]);
            simulate_shard(&shard, 50, 4, Some(name.parse().unwrap()), play).await;
            shards.push(shard);
        }
        let merged = folder.join("merged");
        merge(&shards, &merged).unwrap();
        write_html(&merged, &analyse(&merged, None).await.unwrap()).unwrap();
        for file in ["results.jsonl", "report.json", "report.html"] {
            let [expected, actual] = [&whole, &merged].map(|it| fs::read(it.join(file)).unwrap());
            assert!(actual == expected, "{file}");
        }
    }
}

/// Each recorded conversation counts once. If the detectors find no outcome in it, the outcome in
/// the recording counts.
#[tokio::test]
async fn compares_with_recorded_conversations() {
    let report = json(&report(24, from_recording).await);
    let comparison = &report["outcome_comparison"];
    let original = &comparison["original_distribution"];
    assert_eq!(original["total_conversations"], 12);
    assert_eq!(original["outcome_counts"], json!({"resolved": 8}));
    assert_eq!(original["conversations_without_outcome"], 4);
    let predicted = &comparison["original_with_predicted_outcomes"];
    assert_eq!(predicted["outcome_counts"], json!({"escalated": 3}));
    assert_eq!(predicted["conversations_without_outcome"], 9);
    let stats = &report["message_distribution_comparison"]["original_stats"];
    assert_eq!(
        stats["message_count_distribution"],
        json!({"4": 3, "5": 3, "6": 2, "7": 2, "8": 2})
    );
}

#[test]
fn statistics_follow_their_definitions() {
    let stats = MessageDistributionStats::new([9, 5, 1, 3, 3, 5]);
    assert_eq!((stats.min_messages, stats.max_messages), (1, 9));
    // The upper one of two in the middle, and the smaller one of two modes.
    assert_eq!((stats.median_messages, stats.mode_messages), (5, 3));
    assert!((stats.mean_messages - 13.0 / 3.0).abs() < 1e-9);
    assert!((stats.std_dev_messages - (56.0_f64 / 9.0).sqrt()).abs() < 1e-9);
    assert_eq!(MessageDistributionStats::new([]), MessageDistributionStats::default());
}

#[tokio::test]
async fn an_empty_run_has_a_report() {
    let report = json(&report(0, support).await);
    assert_eq!(report["conversations"], 0);
    let distribution = &report["outcome_comparison"]["simulated_distribution"];
    assert_eq!(distribution["outcome_percentages"], json!({}));
    assert_eq!(distribution["percentage_without_outcome"], 0.0);
    assert_eq!(report["durations"]["median_seconds"], 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_do_not_depend_on_the_number_in_flight() {
    let mut reports = Vec::new();
    for in_flight in [1, 16] {
        let folder = scratch("same");
        simulate(&folder, 60, in_flight, from_recording).await;
        let report = analyse(&folder, None).await.unwrap();
        mynah::simulate::write_html(&folder, &report).unwrap();
        let files = ["results.jsonl", "report.json", "report.html"];
        reports.push(files.map(|name| fs::read(folder.join(name)).unwrap()));
    }
    assert!(reports[0] == reports[1]);
}

/// Models can invent any number of tools.
#[tokio::test]
async fn calls_without_a_message_are_counted() {
    let play = |index| {
        let mut result = simulated(index, conversation(&texts(2), None));
        let (name, arguments, result_text) =
            ("escalate".to_owned(), "{}".to_owned(), String::new());
        let call = mynah::simulate::MadeCall { name, arguments, result: result_text };
        let sender = mynah::simulate::ParticipantRole::Agent;
        let unsent = mynah::simulate::UnsentCall { sender, messages_before: 2, call };
        result.result.conversation.unsent_calls = vec![unsent.clone(), unsent];
        result
    };
    let report = json(&report(3, play).await);
    assert_eq!(report["tool_use"]["escalate"], json!({"calls": 6, "conversations": 3}));
}

#[tokio::test]
async fn the_number_of_tools_is_limited() {
    let play = |index| {
        let mut result = simulated(index, conversation(&texts(2), None));
        let call = |number| mynah::simulate::MadeCall {
            name: format!("tool_{index}_{number}"),
            arguments: String::new(),
            result: String::new(),
        };
        result.result.conversation.messages[1].tool_calls = (0..600).map(call).collect();
        result
    };
    let report = json(&report(3, play).await);
    assert_eq!(report["tool_use"].as_object().unwrap().len(), 1_001);
    assert_eq!(report["tool_use"]["(others)"], json!({"calls": 800, "conversations": 2}));
}

#[tokio::test]
async fn summary_has_a_table_of_outcomes() {
    let folder = scratch("summary");
    simulate(&folder, 20, 1, from_recording).await;
    let report = analyse(&folder, None).await.unwrap();
    insta::assert_snapshot!(report, @r"
    Support desk: 20 conversations, 18 completed, 2 failed
    refund-9: participant_error: agent desk: 503 Service Unavailable
    late_delivery-19: participant_error: agent desk: 503 Service Unavailable
    to play failed conversations again, use --retry-failed
    messages: 6.9 on average, 6.0 in the recording
    outcome                    simulated        recorded        detected
    escalated                  4 (22.2%)        0 (0.0%)       3 (30.0%)
    resolved                  12 (66.7%)       6 (60.0%)        0 (0.0%)
    no outcome                 2 (11.1%)       4 (40.0%)       7 (70.0%)
    ");
}

#[tokio::test]
async fn reports_invalid_results() {
    let folder = scratch("invalid");
    let header = r#"{"run":"desk","hash":"1","scenarios":2,"conversations":30}"#;
    fs::write(folder.join("results.jsonl"), format!("{header}\nnonsense\n")).unwrap();
    let error = analyse(&folder, None).await.unwrap_err().to_string();
    assert!(
        error.ends_with(
            "results.jsonl:2: not the result of a conversation: expected ident at line 1 column 2"
        ),
        "{error}"
    );
}

//! Property tests with arbitrary calls and texts.

use mynah::{
    chat::{FinishReason, Response},
    tool_loop::{
        CallOutcome, CallRecord,
        transcript::{
            Arguments, CallReader, DuplicateDetector, DuplicatePolicy, Rendering, ToolTurn,
            Wording, call_message, extract, extract_all, validate,
        },
    },
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{assistant, call, user};

/// Generates JSON without `, ` in its strings, because `, ` ends a value.
fn json() -> impl Strategy<Value = Value> + Clone {
    let text = "[a-zé/\"\\\\:,]{0,60}".prop_map(Value::from);
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
    ];
    let leaf = prop_oneof![Just(json!(null)), any::<bool>().prop_map(Value::from), number, text];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let object = vec(("[a-z_]{1,5}", inner.clone()), 0..4)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()));
        prop_oneof![vec(inner, 0..4).prop_map(Value::from), object]
    })
}

/// Generates values that survive a round trip through text: strings that begin and end with letters
/// and are not JSON.
fn value() -> impl Strategy<Value = Value> + Clone {
    let text = "z([a-zA-Z0-9 é🦜/:\"._-]{0,60}[a-zé.])?".prop_map(Value::from);
    prop_oneof![text, json().prop_filter("quoted in text", |value| !value.is_string())]
}

fn call_parts() -> impl Strategy<Value = (String, Arguments)> {
    let arguments = vec(("[a-zA-Z_][a-zA-Z0-9_.-]{0,9}", value()), 0..5);
    ("[a-z][a-z0-9-]{0,5}(_[a-z0-9-]{1,6}){0,3}", arguments)
        .prop_map(|(name, arguments)| (name, arguments.into_iter().collect()))
}

fn is_cut(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.chars().count() > 50 || text.ends_with("..."))
}

proptest! {
    #[test]
    fn calls_survive_a_round_trip_through_text((name, arguments) in call_parts(), turn in 0_u32..100) {
        let message = call_message(&name, &arguments, turn);
        let read = extract(&message).unwrap();
        prop_assert_eq!(&read.name, &name);
        prop_assert_eq!(read.is_truncated, arguments.iter().any(|(_, value)| is_cut(value)));
        if !read.is_truncated {
            prop_assert_eq!(&read.arguments, &arguments);
            prop_assert_eq!(read.arguments.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                arguments.iter().map(|(name, _)| name).collect::<Vec<_>>());
        }
        let is_long = |value: &Value| value.as_str().is_some_and(|text| text.chars().count() > 50);
        let is_whole = !arguments.iter().any(|(_, value)| is_long(value));
        prop_assert_eq!(validate(&name, &arguments, &[message]).is_some(), is_whole);
    }

    /// Text does not tell where a value ends, but two different texts are never duplicates.
    #[test]
    fn only_equal_texts_are_duplicates(earlier in "[a-c0-1 ,:.{\\[\n-]{0,12}", length in 0..12_usize) {
        let earlier: Vec<_> = earlier.chars().collect();
        let proposed = &earlier[..length.min(earlier.len())];
        let [earlier, proposed] = [&earlier[..], proposed].map(String::from_iter);
        let message = call_message("f", &Arguments::from([("a", json!(earlier))]), 1);
        let arguments = Arguments::from([("a", json!(proposed))]);
        let is_duplicate = validate("f", &arguments, &[message]).is_some();
        prop_assert_eq!(is_duplicate, earlier == proposed);
    }

    #[test]
    fn arguments_survive_a_round_trip_through_json(arguments in vec((".{0,6}", json()), 0..5)) {
        let arguments: Arguments = arguments.into_iter().collect();
        prop_assert_eq!(&arguments, &arguments.to_string().parse::<Arguments>().unwrap());
        let reversed: Vec<_> = arguments.iter().map(|(name, value)| (name, value.clone())).collect();
        let reversed: Arguments = reversed.into_iter().rev().collect();
        prop_assert_eq!(arguments, reversed);
    }

    #[test]
    fn any_text_is_read_without_a_panic(
        pieces in vec(select(vec![
            "AI ACTION", " (Turn ", "1", "): ", ": ", "Executing ", " with parameters: ", ", ",
            "a", "...", "\n", "\r\n", "\"", "[", "{", "é", "🦜", " ", "TOOL RESPONSE", "-",
        ]), 0..30),
        other in any::<String>(),
    ) {
        for text in [pieces.concat(), other] {
            let message = assistant(&text);
            let _ = extract(&message);
            let rendering = Rendering::Text(Wording::default());
            let response = Response { content: text.clone(), ..Response::default() };
            let read = rendering.read(response, &CallReader::default());
            prop_assert_eq!(read.tool_calls.is_empty(), read.finish_reason == FinishReason::Stop);
            let history = [message, user(&text)];
            for policy in [DuplicatePolicy::Previous, DuplicatePolicy::AnySuccessful] {
                DuplicateDetector::from_history(policy, &history);
            }
            if let Ok(arguments) = text.parse::<Arguments>() {
                prop_assert_eq!(arguments.to_string().parse::<Arguments>().unwrap(), arguments);
            }
        }
    }

    /// Incremental detection gives the same result as a search of the whole history.
    #[test]
    fn the_detector_agrees_with_a_search_of_the_history(
        turns in vec(vec((select(vec!["a", "b"]), 0..2_i32), 1..4), 0..10),
    ) {
        for rendering in [Rendering::Native, Rendering::Text(Wording::default())] {
            let mut history = Vec::new();
            let mut detector = DuplicateDetector::from_history(DuplicatePolicy::Previous, &[]);
            for (number, calls) in (1..).zip(&turns) {
                let (name, n) = calls[0];
                let first = Arguments::from([("n", json!(n))]);
                let is_duplicate = validate(name, &first, &history).is_some();
                let calls: Vec<_> = (1..).zip(calls).map(|(place, (name, n))| {
                    call(&format!("{number}-{place}"), name, &json!({"n": n}).to_string())
                }).collect();
                let verdicts = detector.check(&calls, |_| false);
                prop_assert_eq!(verdicts[0].is_duplicate, is_duplicate);
                for verdict in verdicts.iter().filter(|verdict| !verdict.is_duplicate) {
                    detector.record(verdict.key.clone(), true);
                }
                let calls = calls.into_iter().zip(verdicts).map(|(call, verdict)| {
                    if verdict.is_duplicate {
                        return CallRecord::duplicate(call);
                    }
                    CallRecord::new(call, CallOutcome::Succeeded, "ok")
                }).collect();
                history.extend(rendering.messages(&ToolTurn { number, text: String::new(), calls }));
            }
        }
    }
}

/// Returns a long text with the number of calls that it has.
fn long_texts() -> [(String, usize); 10] {
    const TIMES: usize = 50_000;
    let call = "AI ACTION (Turn 1): Executing F with parameters: ";
    [
        ("AI ACTION".repeat(TIMES), 0),
        ("AI ACTION (Turn ".repeat(TIMES), 0),
        ("AI ACTION (Turn 1): ".repeat(TIMES), 0),
        (format!("AI ACTION (ToolTurn {}", "1".repeat(TIMES)), 0),
        ("AI ACTION (Turn 1): Executing \n".repeat(TIMES), 0),
        (call.repeat(TIMES), 1),
        (format!("{call}{}", "a: [".repeat(TIMES)), 1),
        (format!("{call}a: {}", "[".repeat(TIMES)), 1),
        (format!("{call}{}", (0..TIMES).map(|n| format!("k{n}: ..., ")).collect::<String>()), 1),
        (format!("{call}\n").repeat(TIMES), TIMES),
    ]
}

#[test]
fn reads_all_calls_of_long_texts() {
    for (text, count) in long_texts() {
        let message = assistant(&text);
        let start: String = text.chars().take(60).collect();
        assert_eq!(extract_all(&message).len(), count, "{start}");
        assert_eq!(extract(&message).is_some(), count > 0, "{start}");
        let history = [message, user(&text)];
        DuplicateDetector::from_history(DuplicatePolicy::AnySuccessful, &history);
        let response = Response { content: text, ..Response::default() };
        let read = Rendering::Text(Wording::default()).read(response, &CallReader::default());
        assert_eq!(read.tool_calls.len(), count, "{start}");
    }
}

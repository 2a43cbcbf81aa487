//! A table of texts with their facts, and tests with random texts.

use proptest::prelude::*;

use super::{FactType, FactType::*, Reading};

#[track_caller]
fn check(text: &str, expected: &[(FactType, &str)]) {
    let reading = Reading::new(text);
    let found: Vec<_> = reading.facts().iter().map(|it| (it.of, it.value.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn reads_facts() {
    check(
        "Mail bob@example.org, see https://example.com/a?b=1.",
        &[(Email, "bob@example.org"), (Url, "https://example.com/a?b=1")],
    );
    check(
        "on June 1st 2025, 5 March 2025, the 5th of March 2025 and 2025-06-01",
        &[(Date, "2025-06-01"), (Date, "2025-03-05"), (Date, "2025-03-05"), (Date, "2025-06-01")],
    );
    check(
        "at 09:30, 7pm, 12 am or 11:15 PM",
        &[(Time, "09:30"), (Time, "19:00"), (Time, "00:00"), (Time, "23:15")],
    );
    check(
        "at 3:00 p.m., 12:00 a.m., 3 p.m. or noon",
        &[(Time, "15:00"), (Time, "00:00"), (Time, "15:00"), (Time, "12:00")],
    );
    check(
        "2024/03/16, 16.03.2024, 10/15/2023, 15th October, 2023",
        &[(Date, "2024-03-16"), (Date, "2024-03-16"), (Date, "2023-10-15"), (Date, "2023-10-15")],
    );
    check(
        "70kg at 300K, a 3-bedroom flat 10-mile off, the 19th, 1e-9",
        &[
            (Number, "70"),
            (Number, "300"),
            (Number, "3"),
            (Number, "10"),
            (Number, "19"),
            (Number, "0.000000001"),
        ],
    );
    check(
        "60km/h, 1.2 million, a dozen, two dozen, half of 3 dozen, at 9.8 m/s^2",
        &[
            (Number, "60"),
            (Number, "1200000"),
            (Number, "12"),
            (Number, "2"),
            (Number, "12"),
            (Number, "0.5"),
            (Number, "36"),
            (Number, "9.8"),
        ],
    );
    check(
        "15-10-2023, 2023-4-5, Jan.1,2021, 1st of Feb 2021",
        &[(Date, "2023-10-15"), (Date, "2023-04-05"), (Date, "2021-01-01"), (Date, "2021-02-01")],
    );
    check("[5,3.5,4]", &[(Number, "5"), (Number, "3.5"), (Number, "4")]);
    check(
        "tip of 20% on $45.60 or 15 percent",
        &[(Share, "20"), (Currency, "USD"), (Money, "45.6"), (Share, "15")],
    );
    check(
        "€250, 100 USD, 20 dollars",
        &[
            (Currency, "EUR"),
            (Money, "250"),
            (Money, "100"),
            (Currency, "USD"),
            (Money, "20"),
            (Currency, "USD"),
        ],
    );
    check(
        "call +1 555-010-0199 about 1,200 items, two of them -5",
        &[(Phone, "+1 555-010-0199"), (Number, "1200"), (Number, "two"), (Number, "-5")]
            .map(|(of, value)| (of, if value == "two" { "2" } else { value })),
    );
    check(
        "5.12.0, 2.0.0, v3.0.2, 2.0.0-rc.1, 2.50",
        &[
            (Code, "5.12.0"),
            (Code, "2.0.0"),
            (Code, "v3.0.2"),
            (Code, "2.0.0-rc.1"),
            (Number, "2.5"),
        ],
    );
    check(
        "call 07700 900123, 020 7946 0018, 06 12 34 56 78 or 555 010 0199, room 20 4000",
        &[
            (Phone, "07700 900123"),
            (Phone, "020 7946 0018"),
            (Phone, "06 12 34 56 78"),
            (Phone, "555 010 0199"),
            (Number, "20"),
            (Number, "4000"),
        ],
    );
    check("order ABC-123 of 203.0.113.7", &[(Code, "ABC-123"), (Ip, "203.0.113.7")]);
    check(
        "translate 'Rome on 2025-06-01' to French",
        &[(Quote, "Rome on 2025-06-01"), (Language, "fr")],
    );
    check("what is 10+5 now", &[(Expression, "10+5")]);
}

#[test]
fn reads_names() {
    check(
        "Fly from San Francisco to Rio de Janeiro",
        &[(Name, "San Francisco"), (Name, "Rio de Janeiro")],
    );
    check(
        "Weather for London, Paris and Rome please",
        &[(Name, "London"), (Name, "Paris"), (Name, "Rome")],
    );
    check("weather in paris in fahrenheit", &[(Word, "paris")]);
    check("by Pope Innocent III", &[(Name, "Pope Innocent III")]);
    check("price of AAPL in May", &[(Capitals, "AAPL")]);
}

#[test]
fn reads_identifiers() {
    check(
        "restart web-front, copy archive_db to mail-archive",
        &[(Identifier, "web-front"), (Identifier, "archive_db"), (Identifier, "mail-archive")],
    );
    for text in ["she needs a follow-up", "check-up at two", "it is high-priority", "to call a_b()"]
    {
        let reading = Reading::new(text);
        assert!(reading.facts().iter().all(|it| it.of != Identifier), "{text}");
    }
    for (text, is_alone) in [("drain web-front now", true), ("drain the blue-green server", false)]
    {
        let reading = Reading::new(text);
        assert_eq!(
            reading.facts().iter().map(|it| reading.is_alone(it)).collect::<Vec<_>>(),
            [is_alone]
        );
    }
}

#[test]
fn rejects_what_only_looks_like_a_fact() {
    for text in ["2025-02-30", "2025-13-01", "at 25:61", "in general", "I am in May"] {
        check(text, &[]);
    }
}

#[test]
fn cues_reach_to_the_next_cue() {
    let cues = |text: &str| -> Vec<_> {
        Reading::new(text).facts().iter().map(|fact| fact.cue.unwrap_or("")).collect()
    };
    assert_eq!(cues("to a@b.co cc c@b.co, d@b.co and e@b.co"), ["to", "cc", "cc", "cc"]);
    assert_eq!(cues("From Rome. 2 guests up to $50"), ["from", "", "up-to", "up-to"]);
    assert_eq!(cues("between Rome and Oslo with 4 or more"), ["from", "to", "over"]);
    assert_eq!(cues("check-in 2025-08-01, return on 2025-08-04"), ["check-in", "return"]);
}

proptest! {
    #[test]
    fn reads_any_text(text in "([A-Za-z]{1,8}|[0-9]{1,4}|[-:.,/@$€% \n'\"+*()]|to|in|May|pm|é|で){0,40}") {
        let reading = Reading::new(&text);
        for fact in reading.facts() {
            prop_assert!(text.get(fact.range.clone()).is_some(), "{fact:?}");
        }
        prop_assert!(reading.facts().is_sorted_by_key(|fact| fact.range.start));
    }
}

//! What the name of a property says about its value.

/// What a string property is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    /// An e-mail address.
    Email,
    /// A place.
    Place,
    /// An arithmetic expression.
    Expression,
    /// What the user says.
    Question,
    /// Something with a usual example.
    Example(&'static str),
}

impl Topic {
    /// The value where the messages say nothing.
    pub(super) fn example(self) -> Option<&'static str> {
        match self {
            Self::Email => Some("test@example.com"),
            Self::Place => Some("San Francisco"),
            Self::Example(text) => Some(text),
            Self::Expression | Self::Question => None,
        }
    }
}

/// The topic of a property: the last of its words that has one, as the last names the thing
/// (`location_query` is a query). Neighbours count as one word too: `time_zone`.
pub(super) fn topic(property: &[String], subject: &[String]) -> Option<Topic> {
    let strong = (0..property.len()).rev().find_map(|last| {
        let joined = last.checked_sub(1).map(|first| property[first..=last].concat());
        joined.as_deref().and_then(of_word).or_else(|| of_word(&property[last]))
    });
    let to_somebody =
        || property.iter().any(|word| word == "to") && subject.iter().any(|word| is_email(word));
    strong
        .or_else(|| to_somebody().then_some(Topic::Email))
        .or_else(|| property.iter().rev().find_map(|word| of_weak_word(word)))
}

fn is_email(word: &str) -> bool {
    of_word(word) == Some(Topic::Email)
}

fn of_word(word: &str) -> Option<Topic> {
    let plural = || of_singular(word.strip_suffix("ies").map(|stem| format!("{stem}y"))?.as_str());
    of_singular(word).or_else(|| of_singular(word.strip_suffix('s')?)).or_else(plural)
}

fn of_singular(word: &str) -> Option<Topic> {
    use Topic::{Email, Example, Expression, Place, Question};
    Some(match word {
        "email" | "mail" | "recipient" | "cc" | "bcc" => Email,
        "location" | "city" | "place" | "town" | "destination" | "origin" => Place,
        "expression" | "formula" => Expression,
        "query" | "question" | "prompt" | "message" | "text" | "input" | "content" | "body" => {
            Question
        }
        "street" => Example("123 Main St"),
        "subject" => Example("Test email subject"),
        "phone" | "telephone" | "mobile" => Example("+15555550100"),
        "country" => Example("US"),
        "zip" | "postal" | "postcode" => Example("94105"),
        "url" | "uri" | "link" | "website" => Example("https://example.com"),
        "date" => Example("2024-01-15"),
        "time" => Example("12:00:00Z"),
        "datetime" | "timestamp" => Example("2024-01-15T12:00:00Z"),
        "timezone" => Example("UTC"),
        "currency" => Example("USD"),
        "language" => Example("en"),
        _ => return None,
    })
}

/// Words that follow a better one: `city_name`, `email_address`.
fn of_weak_word(word: &str) -> Option<Topic> {
    match word {
        "name" | "names" => Some(Topic::Example("Test User")),
        "address" | "addresses" => Some(Topic::Example("123 Main St")),
        _ => None,
    }
}

/// The lower-case words of a name in snake, kebab, camel or Pascal case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = char.is_uppercase() && (before.is_lowercase() || next_is_lower);
        if (starts || !char.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for name in ["send_HTTPStatus", "sendHttpStatus", "send-http status", "SendHTTPStatus"] {
            assert_eq!(words(name), ["send", "http", "status"], "{name}");
        }
        assert!(words("_-").is_empty());
    }

    #[test]
    fn the_last_telling_word_decides() {
        let topic = |name: &str, tool: &str| topic(&words(name), &words(tool));
        for (name, tool, expected) in [
            ("email_subject", "", Some(Topic::Example("Test email subject"))),
            ("emailAddress", "", Some(Topic::Email)),
            ("cities", "", Some(Topic::Place)),
            ("location_query", "", Some(Topic::Question)),
            ("time_zone", "", Some(Topic::Example("UTC"))),
            ("start-time", "", Some(Topic::Example("12:00:00Z"))),
            ("city_name", "", Some(Topic::Place)),
            ("first_name", "", Some(Topic::Example("Test User"))),
            ("to", "send_email", Some(Topic::Email)),
            ("to", "travel", None),
            ("title", "", None),
        ] {
            assert_eq!(topic(name, tool), expected, "{name}");
        }
    }
}

//! Guesses the meaning of a string property from its name.

/// The meaning of a string property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PropertyKind {
    /// An e-mail address.
    Email,
    /// A place.
    Place,
    /// An arithmetic expression.
    Expression,
    /// The user's text.
    Question,
    /// Any other kind, with a typical example. Such values are not extracted from messages.
    Example(&'static str),
}

impl PropertyKind {
    /// Returns the sample to use if the messages contain no value.
    pub(super) fn example(self) -> Option<&'static str> {
        match self {
            Self::Email => Some("test@example.com"),
            Self::Place => Some("San Francisco"),
            Self::Example(text) => Some(text),
            Self::Expression | Self::Question => None,
        }
    }
}

/// Returns the kind of a property, given the words of its name. The last word that has a kind
/// decides: `location_query` is a query. Two adjacent words also count as one: `time_zone`.
///
/// `subject` contains the words of the tool's name.
pub(super) fn kind_of(property: &[String], subject: &[String]) -> Option<PropertyKind> {
    let by_word = (0..property.len()).rev().find_map(|last| {
        let joined = last.checked_sub(1).map(|first| property[first..=last].concat());
        joined.as_deref().and_then(kind_of_word).or_else(|| kind_of_word(&property[last]))
    });
    let is_addressee =
        || property.iter().any(|word| word == "to") && subject.iter().any(|word| is_email(word));
    by_word
        .or_else(|| is_addressee().then_some(PropertyKind::Email))
        .or_else(|| property.iter().rev().find_map(|word| kind_of_weak_word(word)))
}

fn is_email(word: &str) -> bool {
    kind_of_word(word) == Some(PropertyKind::Email)
}

fn kind_of_word(word: &str) -> Option<PropertyKind> {
    let plural =
        || kind_of_singular(word.strip_suffix("ies").map(|stem| format!("{stem}y"))?.as_str());
    kind_of_singular(word).or_else(|| kind_of_singular(word.strip_suffix('s')?)).or_else(plural)
}

fn kind_of_singular(word: &str) -> Option<PropertyKind> {
    use PropertyKind::{Email, Example, Expression, Place, Question};
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

/// Returns the kind of a word that decides only if no other word does: `city_name` is a city.
fn kind_of_weak_word(word: &str) -> Option<PropertyKind> {
    match word {
        "name" | "names" => Some(PropertyKind::Example("Test User")),
        "address" | "addresses" => Some(PropertyKind::Example("123 Main St")),
        _ => None,
    }
}

/// Splits a name in snake, kebab, camel or Pascal case into lower-case words.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts_word = char.is_uppercase() && (previous.is_lowercase() || next_is_lower);
        if (starts_word || !char.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        previous = char;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names_into_words() {
        for name in ["send_HTTPStatus", "sendHttpStatus", "send-http status", "SendHTTPStatus"] {
            assert_eq!(split_words(name), ["send", "http", "status"], "{name}");
        }
        assert!(split_words("_-").is_empty());
    }

    #[test]
    fn last_word_with_a_kind_decides() {
        let kind = |name: &str, tool: &str| kind_of(&split_words(name), &split_words(tool));
        for (name, tool, expected) in [
            ("email_subject", "", Some(PropertyKind::Example("Test email subject"))),
            ("emailAddress", "", Some(PropertyKind::Email)),
            ("cities", "", Some(PropertyKind::Place)),
            ("location_query", "", Some(PropertyKind::Question)),
            ("time_zone", "", Some(PropertyKind::Example("UTC"))),
            ("start-time", "", Some(PropertyKind::Example("12:00:00Z"))),
            ("city_name", "", Some(PropertyKind::Place)),
            ("first_name", "", Some(PropertyKind::Example("Test User"))),
            ("to", "send_email", Some(PropertyKind::Email)),
            ("to", "travel", None),
            ("title", "", None),
        ] {
            assert_eq!(kind(name, tool), expected, "{name}");
        }
    }
}

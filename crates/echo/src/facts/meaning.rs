//! What a property means: its row in the table of kinds, and whether something starts or ends there.

use super::{
    FactType,
    kinds::{Kind, ROWS, Row, TOPIC, row_of_kind, row_of_word},
};
use crate::text::{
    canonical,
    lexicon::{Entry, MAILS, contains},
};

/// Whether something starts or ends at the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Start,
    None,
    End,
}

/// The meaning of a property.
#[derive(Clone, Copy)]
pub(crate) struct Meaning {
    pub(crate) row: &'static Row,
    pub(crate) role: Role,
}

impl Meaning {
    pub(crate) fn kind(&self) -> Kind {
        self.row.kind
    }

    /// Returns the meaning of the names of those whose addresses these would be.
    pub(crate) fn of_person(self) -> Option<Self> {
        Some(Self { row: row_of_kind(Kind::Person)?, ..self })
    }

    /// Returns `true` if no word of the property's name is listed.
    pub(crate) fn is_unlisted(&self) -> bool {
        self.row.kind == Kind::Label && self.row.words.is_empty()
    }

    /// Returns `true` if the cue is one of this property.
    pub(crate) fn has_cue(&self, cue: &str) -> bool {
        let [cues, start_cues, end_cues] = self.row.cues;
        let by_role = match self.role {
            Role::Start => start_cues,
            Role::End => end_cues,
            Role::None => "",
        };
        contains(if by_role.is_empty() { cues } else { by_role }, cue)
    }

    /// Returns `true` if a property may take a fact behind an exclusive cue without being asked for
    /// by this cue.
    pub(crate) fn names_cue(&self, cue: &str) -> bool {
        self.has_cue(cue)
            || self.role == Role::None && self.row.cues.iter().any(|cues| contains(cues, cue))
            || (self.row.kind == Kind::Place && self.role != Role::Start && contains("for", cue))
    }
}

/// Returns the meaning of a property with the `words` in its name, given its format and the words of
/// the tool's name.
pub(crate) fn meaning_of(
    words: &[String],
    format: Option<&str>,
    tool: &[String],
    is_numeric: bool,
) -> Option<Meaning> {
    let has = |is_listed: fn(&Entry) -> bool| words.iter().any(|it| is_listed(Entry::listed(it)));
    let has_word = |one: &str| words.iter().any(|word| word == one);
    let is_check = has_word("check");
    let is_address = has_word("address");
    let role = if has(|entry| entry.is_start)
        || is_check && has_word("in")
        || is_address && has_word("pickup")
    {
        Role::Start
    } else if has(|entry| entry.is_end)
        || is_check && has_word("out")
        || is_address && has_word("deliveri")
    {
        Role::End
    } else {
        Role::None
    };
    let by_word = row_of(words, tool);
    let by_format = |format: &str| {
        // `cc` stays a copy if its format is `email`.
        let same =
            by_word.filter(|row| row.takes == [FactType::Email] && format.ends_with("email"));
        same.or_else(|| ROWS.iter().find(|row| contains(row.formats, format)))
    };
    let row = format
        .and_then(by_format)
        .or(by_word)
        .filter(|row| !is_numeric || matches!(row.kind, Kind::Money | Kind::Share))
        .or_else(|| row_of_kind(if is_numeric { Kind::Number } else { Kind::Label }))?;
    Some(Meaning { row, role })
}

fn row_of(words: &[String], tool: &[String]) -> Option<&'static Row> {
    let is_word = |list: &str, word: &String| {
        list.split_ascii_whitespace().any(|one| one == word || canonical(one) == *word)
    };
    let row = |word: &String| row_of_word(word);
    let (last, rest) = words.split_last()?;
    let before = rest.last().and_then(row).map(|row| row.kind);
    if Entry::listed(last).makes_id {
        let is_filler =
            matches!(before, Some(Kind::Phone | Kind::Currency | Kind::Language | Kind::Symbol))
                || is_word("zip postal postcode", rest.last().unwrap_or(last));
        return if is_filler { rest.last().and_then(row) } else { row_of_kind(Kind::Id) };
    }
    let is_named = matches!(before, Some(Kind::Place | Kind::Person | Kind::Recipient));
    let has_address = matches!(before, Some(Kind::Email | Kind::Recipient | Kind::Ip | Kind::Uri));
    if is_word("name", last) && is_named || is_word("address", last) && has_address {
        return rest.last().and_then(row);
    }
    if is_word("name", last) && rest.last().is_some_and(|it| is_word("attendee invitee", it)) {
        return row_of_kind(Kind::Person);
    }
    if is_word("zone", last) && rest.last().is_none_or(|word| word != "time") {
        return None;
    }
    let decisive = words.iter().rev().find(|word| !Entry::listed(word).is_kind_filler);
    let names = |list: &str| tool.iter().any(|word| is_word(list, word));
    if let Some(decisive) = decisive {
        let is_topic = decisive == "subject" && !names(MAILS);
        return if is_topic { Some(&TOPIC) } else { row(decisive) };
    }
    match last.as_str() {
        "from" | "to" if names("email mail") => row_of_kind(Kind::Email),
        "from" | "to" if names("sms phone call") => row_of_kind(Kind::Phone),
        "from" | "to" => row_of_word("region"),
        _ => row(last),
    }
}

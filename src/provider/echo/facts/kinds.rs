//! The table of kinds: what the words of a property's name mean, and which facts it takes.

use std::sync::LazyLock;

use super::{FactType, contains};
use crate::provider::echo::text::{WordMap, canonical};
use FactType::{
    Capitals, Code, Currency, Date, Email, Expression, Ip, Language, Money, Name, Number, Phone,
    Quote, RelativeDate, Share, Time, Url, Uuid, Word,
};

/// The kind of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Email,
    /// `cc` and `bcc`.
    Copy,
    Recipient,
    Uri,
    Uuid,
    Ip,
    Phone,
    Date,
    /// A point in time: a date or a time.
    Moment,
    Time,
    Money,
    Share,
    Number,
    Id,
    Currency,
    Language,
    Symbol,
    Place,
    Room,
    Title,
    Event,
    Person,
    /// A text that may be quoted.
    Text,
    /// The whole message.
    Question,
    Expression,
    /// Any other string.
    Label,
    /// A kind that no message states.
    Sample,
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) kind: Kind,
    /// Words of a property's name. The last word that has a row decides.
    words: &'static str,
    /// Values of `format`.
    formats: &'static str,
    /// The facts that a property takes, best first.
    pub(crate) takes: &'static [FactType],
    /// The cues before its facts.
    cues: &'static str,
    /// The cues if the property is where something starts (`from_date`) or ends (`to_date`).
    /// Empty if the cues are the same.
    start_cues: &'static str,
    end_cues: &'static str,
    /// The value if the message states none. Empty if the name of the property is the sample.
    pub(crate) sample: &'static str,
}

#[rustfmt::skip]
const ROWS: [Row; 36] = [
    row(Kind::Email, "email mail attendee invitee sender", "email idn-email", &[Email], ["to", "from", "to"], "test@example.com"),
    row(Kind::Copy, "cc bcc", "", &[Email], ["", "", ""], "test@example.com"),
    row(Kind::Recipient, "recipient", "", &[Email, Name], ["to for with", "", ""], "test@example.com"),
    row(Kind::Uri, "url uri link website", "uri iri url", &[Url], ["", "", ""], "https://example.com"),
    row(Kind::Uuid, "uuid guid", "uuid", &[Uuid], ["", "", ""], ""),
    row(Kind::Ip, "ip", "ipv4 ipv6", &[Ip], ["", "", ""], ""),
    row(Kind::Phone, "phone telephone mobile", "", &[Phone, Number], ["to", "from", "to"], "+15555550100"),
    row(Kind::Moment, "datetime timestamp", "date-time", &[Date, Time], ["on at", "from on since at", "to until till by"], "2024-01-15T12:00:00Z"),
    row(Kind::Date, "date day deadline due checkin checkout", "date", &[Date, RelativeDate], ["on", "from on since check-in", "to until till by check-out return returning due"], "2024-01-15"),
    row(Kind::Moment, "start begin end until return when check", "", &[Date, Time, RelativeDate, Name], ["on at", "from on since at check-in", "to until till by check-out return returning due"], "2024-01-15"),
    row(Kind::Time, "time", "time", &[Time], ["at", "from at since", "to until till by"], "12:00:00Z"),
    row(Kind::Money, "amount price cost total budget fee bill", "", &[Money, Number], ["under over up-to", "", ""], ""),
    row(Kind::Share, "percent percentage rate tip discount tax", "", &[Share, Number], ["", "", ""], ""),
    row(Kind::Currency, "currency", "", &[Currency], ["in", "from", "to in into"], "USD"),
    row(Kind::Language, "language", "", &[Language], ["to in into", "from", "to in into"], "en"),
    row(Kind::Symbol, "symbol ticker", "", &[Capitals], ["", "", ""], ""),
    row(Kind::Place, "location city place town destination origin", "", &[Name, Word], ["in near at", "from", "to"], "San Francisco"),
    row(Kind::Place, "source departure arrival region", "", &[Name, Word], ["in near at", "from", "to"], ""),
    row(Kind::Place, "country", "", &[Name, Word], ["in near at", "from", "to"], "US"),
    row(Kind::Room, "room", "", &[Name, Word, Code, Number], ["in at", "from", "to"], ""),
    row(Kind::Title, "title label", "", &[Quote, Name], ["titled called named subject", "", ""], ""),
    row(Kind::Title, "subject", "", &[Quote, Name], ["titled called named subject", "", ""], "Test email subject"),
    row(Kind::Title, "name", "", &[Quote, Name], ["titled called named subject", "", ""], "Test User"),
    row(Kind::Event, "event", "", &[Quote, Name], ["titled called named subject for", "", ""], ""),
    row(Kind::Person, "person customer guest assignee employee student patient doctor manager contact", "", &[Name], ["to for with", "", ""], ""),
    row(Kind::Text, "text message content body input", "", &[Quote], ["", "", ""], ""),
    row(Kind::Question, "query question prompt", "", &[], ["", "", ""], ""),
    row(Kind::Expression, "expression formula", "", &[Expression], ["", "", ""], ""),
    row(Kind::Sample, "street", "", &[], ["", "", ""], "123 Main St"),
    row(Kind::Sample, "address", "", &[], ["", "", ""], "123 Main St"),
    row(Kind::Sample, "zip postal postcode", "", &[], ["", "", ""], "94105"),
    row(Kind::Sample, "timezone zone", "", &[], ["", "", ""], "UTC"),
    row(Kind::Number, "", "", &[Number, Share, Money], ["", "", ""], ""),
    row(Kind::Label, "", "", &[Quote, Code, Name, Number], ["", "", ""], ""),
    row(Kind::Label, "restaurant venue hotel shop store", "", &[Quote, Code, Name], ["at", "", ""], ""),
    row(Kind::Id, "id number code key ref", "", &[Code, Number], ["", "", ""], ""),
];

const fn row(
    kind: Kind,
    words: &'static str,
    formats: &'static str,
    takes: &'static [FactType],
    [cues, start_cues, end_cues]: [&'static str; 3],
    sample: &'static str,
) -> Row {
    Row { kind, words, formats, takes, cues, start_cues, end_cues, sample }
}

/// Returns the set of the words in a list, as written and in canonical form.
fn word_list(list: &str) -> WordMap<()> {
    let words = list.split_ascii_whitespace();
    WordMap::new(words.flat_map(|word| [(word.to_owned(), ()), (canonical(word), ())]))
}

/// The rows by the words of the properties, as written and in canonical form.
static BY_WORD: LazyLock<WordMap<&Row>> = LazyLock::new(|| {
    let words = |row: &'static Row| row.words.split_ascii_whitespace().map(move |it| (it, row));
    let forms = |(word, row): (&str, _)| [(word.to_owned(), row), (canonical(word), row)];
    WordMap::new(ROWS.iter().flat_map(words).flat_map(forms))
});

/// Words of a property where something starts, and where it ends.
static START_WORDS: LazyLock<WordMap<()>> =
    LazyLock::new(|| word_list("from start begin origin source departure sender checkin pickup"));
static END_WORDS: LazyLock<WordMap<()>> = LazyLock::new(|| {
    word_list(
        "to end until destination target arrival return due deadline recipient checkout dropoff into",
    )
});
/// Words that do not decide on the kind unless they are alone.
static FILLERS: LazyLock<WordMap<()>> = LazyLock::new(|| {
    word_list(
        "from to count max min maximum minimum start end source target arrival departure return",
    )
});
/// Words that make an id of a property if they are its last.
static ID_WORDS: LazyLock<WordMap<()>> = LazyLock::new(|| word_list("id number code key ref"));

/// Whether something starts or ends at the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Start,
    End,
    None,
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

    /// Returns `true` if the cue is one of this property.
    pub(crate) fn has_cue(&self, cue: &str) -> bool {
        let by_role = match self.role {
            Role::Start => self.row.start_cues,
            Role::End => self.row.end_cues,
            Role::None => self.row.cues,
        };
        contains(if by_role.is_empty() { self.row.cues } else { by_role }, cue)
    }

    /// Returns `true` if a property may take a fact behind an exclusive cue without being asked for
    /// by this cue.
    pub(crate) fn names_cue(&self, cue: &str) -> bool {
        self.has_cue(cue)
            || (self.role == Role::None
                && [self.row.start_cues, self.row.end_cues].iter().any(|cues| contains(cues, cue)))
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
    let is_word = |list: &str, word: &String| {
        // A canonical form differs from its word at the end only.
        let start = word.get(..word.len().saturating_sub(1)).unwrap_or_default();
        let is_same = |one: &str| one == word || one.starts_with(start) && canonical(one) == *word;
        list.split_ascii_whitespace().any(is_same)
    };
    let has = |list: &WordMap<()>| words.iter().any(|word| list.get(word).is_some());
    let has_word = |one: &str| words.iter().any(|word| word == one);
    let is_check = has_word("check");
    let role = if has(&START_WORDS) || is_check && has_word("in") {
        Role::Start
    } else if has(&END_WORDS) || is_check && has_word("out") {
        Role::End
    } else {
        Role::None
    };
    let by_word = row_of(words, tool, &is_word);
    let by_format = |format: &str| {
        // `cc` stays a copy if its format is `email`.
        let same = by_word.filter(|row| row.takes == [Email] && format.ends_with("email"));
        same.or_else(|| ROWS.iter().find(|row| contains(row.formats, format)))
    };
    let row = format
        .and_then(by_format)
        .or(by_word)
        .filter(|row| !is_numeric || matches!(row.kind, Kind::Money | Kind::Share))
        .or_else(|| by_kind(if is_numeric { Kind::Number } else { Kind::Label }))?;
    Some(Meaning { row, role })
}

fn by_kind(kind: Kind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.kind == kind)
}

fn row_of(
    words: &[String],
    tool: &[String],
    is_word: &impl Fn(&str, &String) -> bool,
) -> Option<&'static Row> {
    let row = |word: &String| BY_WORD.get(word).copied();
    let (last, rest) = words.split_last()?;
    let before = rest.last().and_then(row).map(|row| row.kind);
    if ID_WORDS.get(last).is_some() {
        let is_filler =
            matches!(before, Some(Kind::Phone | Kind::Currency | Kind::Language | Kind::Symbol))
                || is_word("zip postal postcode", rest.last().unwrap_or(last));
        return if is_filler { rest.last().and_then(row) } else { by_kind(Kind::Id) };
    }
    let is_named = matches!(before, Some(Kind::Place | Kind::Person | Kind::Recipient));
    let has_address = matches!(before, Some(Kind::Email | Kind::Recipient | Kind::Ip | Kind::Uri));
    if is_word("name", last) && is_named || is_word("address", last) && has_address {
        return rest.last().and_then(row);
    }
    if is_word("name", last) && rest.last().is_some_and(|word| word == "full") {
        return by_kind(Kind::Person);
    }
    if is_word("zone", last) && rest.last().is_none_or(|word| word != "time") {
        return None;
    }
    let decisive = words.iter().rev().find(|word| FILLERS.get(word).is_none());
    if let Some(decisive) = decisive {
        let is_check = decisive == "in" || decisive == "out" || decisive == "check";
        let is_check = is_check && words.iter().any(|word| word == "check");
        return if is_check { by_kind(Kind::Date) } else { row(decisive) };
    }
    let names = |list: &str| tool.iter().any(|word| is_word(list, word));
    match last.as_str() {
        "from" | "to" if names("email mail") => by_kind(Kind::Email),
        "from" | "to" if names("sms phone call") => by_kind(Kind::Phone),
        "from" | "to" => row(&"region".to_owned()),
        _ => row(last),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ROWS;

    /// docs/echo.md has the words, the cues and the sample of each row.
    #[test]
    fn documentation_has_the_same_table() {
        let page = include_str!("../../../../docs/echo.md");
        let (_, table) = page.split_once("| words | takes | cues | sample |\n").unwrap();
        let lines = table.lines().skip(1).take_while(|line| line.starts_with('|'));
        let documented: Vec<[BTreeSet<String>; 3]> = lines
            .map(|line| {
                let cells: Vec<_> = line.split('|').collect();
                [1, 3, 4].map(|cell| items(&cells[cell].replace('`', ""), ", "))
            })
            .collect();
        let rows = ROWS.iter().filter(|row| !row.words.is_empty()).map(|row| {
            let cues = [row.cues, row.start_cues, row.end_cues].join(" ").replace('-', "_");
            let cues = items(&cues, " ").iter().map(|cue| cue.replace('_', " ")).collect();
            [items(row.words, " "), cues, items(row.sample, ", ")]
        });
        assert_eq!(documented, rows.collect::<Vec<_>>());
    }

    fn items(list: &str, separator: &str) -> BTreeSet<String> {
        list.trim().split(separator).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }
}

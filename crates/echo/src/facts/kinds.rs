//! The table of kinds: the words of properties, and which facts they take.

use std::{collections::BTreeMap, sync::LazyLock};

use super::FactType;
use crate::text::canonical;
use FactType::{
    Capitals, Code, Currency, Date, Email, Expression, File, Identifier, Ip, Language, Money, Name,
    Number, Phone, Quote, RelativeDate, Share, Time, Url, Uuid, Word,
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
    Version,
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
    File,
    /// The whole message.
    Question,
    Expression,
    /// Any other string.
    Label,
    /// A street with the number of a house, or a quotation.
    Address,
    /// A kind that no message states.
    Sample,
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) kind: Kind,
    /// Words of a property's name. The last word that has a row decides.
    pub(super) words: &'static str,
    /// Values of `format`.
    pub(super) formats: &'static str,
    /// The facts that a property takes, best first.
    pub(crate) takes: &'static [FactType],
    /// The cues before its facts, and those if the property is where something starts (`from_date`) or
    /// ends (`to_date`). Empty if the cues are the same.
    pub(super) cues: [&'static str; 3],
    /// The value if the message states none. Empty if the name of the property is the sample.
    pub(crate) sample: &'static str,
}

/// What a property without a kind of its own takes.
const LABELS: &[FactType] = &[
    Quote,
    Code,
    Name,
    File,
    Number,
    Identifier,
    Capitals,
    Language,
    Currency,
    RelativeDate,
    Url,
    Email,
    Ip,
];

#[rustfmt::skip]
pub(super) const ROWS: [Row; 41] = [
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
    row(Kind::Share, "percent percentage rate tip discount tax", "", &[Share, Number, Money], ["", "", ""], ""),
    row(Kind::Currency, "currency", "", &[Currency], ["in", "from", "to in into"], "USD"),
    row(Kind::Language, "language", "", &[Language], ["to in into", "from", "to in into"], "en"),
    row(Kind::Symbol, "symbol ticker", "", &[Capitals], ["", "", ""], ""),
    row(Kind::Place, "location city place town destination origin area where airport", "", &[Name, Word, Capitals], ["in near at", "from", "to"], "San Francisco"),
    row(Kind::Place, "source departure arrival region", "", &[Name, Word, Capitals, Code], ["in near at", "from", "to"], ""),
    row(Kind::Place, "country", "", &[Name, Word, Capitals], ["in near at", "from", "to"], "US"),
    row(Kind::Room, "room", "", &[Name, Word, Code, Number], ["in at", "from", "to"], ""),
    row(Kind::Title, "title label", "", &[Quote, Name, File], ["titled called named subject", "", ""], ""),
    row(Kind::Title, "subject", "", &[Quote, Name, File], ["titled called named subject", "", ""], "Test email subject"),
    row(Kind::Title, "name", "", &[Quote, Name, File, Code, Identifier], ["titled called named subject", "", ""], "Test User"),
    row(Kind::Event, "event", "", &[Quote, Name], ["titled called named subject for", "", ""], ""),
    row(Kind::Person, "person customer visitor guest assignee employee student patient tenant applicant passenger doctor manager contact actor actress cast starring player receiver citizen resident traveler candidate participant claimant subscriber borrower renter buyer parent guardian pupil child speaker volunteer", "", &[Name], ["to for with", "", ""], ""),
    row(Kind::Person, "holder owner client driver", "", &[Name], ["to for", "", ""], ""),
    row(Kind::Person, "instructor teacher trainer coach guide chef veterinarian dentist therapist mechanic technician electrician inspector", "", &[Name], ["with by", "", ""], ""),
    row(Kind::Person, "supplier vendor seller manufacturer donor provider carrier operator reviewer approver", "", &[Quote, Name, Code], ["from by with", "", ""], ""),
    row(Kind::Person, "artist author composer conductor director directed singer", "", &[Name], ["by", "", ""], ""),
    row(Kind::Text, "text message content body input", "", &[Quote], ["", "", ""], ""),
    row(Kind::File, "file filename document attachment path", "", &[Quote, File, Url, Code], ["", "", ""], ""),
    row(Kind::Question, "query question prompt", "", &[], ["", "", ""], ""),
    row(Kind::Expression, "expression formula", "", &[Expression], ["", "", ""], ""),
    row(Kind::Address, "street address", "", &[Quote, Name], ["to at in", "from", "to"], "123 Main St"),
    row(Kind::Sample, "zip postal postcode", "", &[], ["", "", ""], "94105"),
    row(Kind::Sample, "timezone zone", "", &[], ["", "", ""], "UTC"),
    row(Kind::Number, "", "", &[Number, Share, Money], ["", "", ""], ""),
    row(Kind::Label, "", "", LABELS, ["", "", ""], ""),
    row(Kind::Label, "restaurant venue hotel shop store", "", &[Quote, Code, Name], ["at", "", ""], ""),
    row(Kind::Version, "version", "", &[Code, Quote, Number], ["", "from", "to"], ""),
    row(Kind::Id, "id number code key ref reference sku plate vin", "", &[Code, Number, Identifier, Capitals], ["", "", ""], ""),
];

/// The row of a `subject` that is not that of a message: "Schedule a Latin exam".
pub(super) static TOPIC: Row = row(Kind::Label, "", "", LABELS, ["", "", ""], "Test email subject");

const fn row(
    kind: Kind,
    words: &'static str,
    formats: &'static str,
    takes: &'static [FactType],
    cues: [&'static str; 3],
    sample: &'static str,
) -> Row {
    Row { kind, words, formats, takes, cues, sample }
}

/// The rows by the words of the properties, as written and in canonical form.
static BY_WORD: LazyLock<BTreeMap<String, &Row>> = LazyLock::new(|| {
    let words = |row: &'static Row| row.words.split_ascii_whitespace().map(move |it| (it, row));
    let forms = |(word, row): (&str, _)| [(word.to_owned(), row), (canonical(word), row)];
    // Of several rows with a word, the first counts.
    ROWS.iter().rev().flat_map(words).flat_map(forms).collect()
});

/// Returns the row of a kind, the first if there are several.
pub(super) fn row_of_kind(kind: Kind) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.kind == kind)
}

/// Returns the row of a word, as written or in canonical form.
pub(super) fn row_of_word(word: &str) -> Option<&'static Row> {
    BY_WORD.get(word).copied()
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
            let cues = row.cues.join(" ").replace('-', "_");
            let cues = items(&cues, " ").iter().map(|cue| cue.replace('_', " ")).collect();
            [items(row.words, " "), cues, items(row.sample, ", ")]
        });
        assert_eq!(documented, rows.collect::<Vec<_>>());
    }

    fn items(list: &str, separator: &str) -> BTreeSet<String> {
        list.trim().split(separator).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }
}

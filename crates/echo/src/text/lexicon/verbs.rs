//! Verbs that people use for one another.

use super::{contains, list};

/// Common verbs that are nouns in names with a generic verb: `get_order_status`.
pub(crate) const NOUNS: &str = "order book";

/// Verbs that ask for the same, in canonical form.
const SAME: [&str; 7] = [
    "add create insert register",
    "book reserve",
    "buy purchase",
    "delete remove",
    "hire rent",
    "borrow lend loan",
    "update change edit modify",
];

/// A verb at the start of a request that asks, with a noun, for what other verbs of names do. Elsewhere it
/// is often another word: "Open a ticket", but not "Show the open tickets".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) verb: &'static str,
    /// The word that the verb has with it: "set up".
    pub(crate) particle: Option<&'static str>,
}

/// The requests: the verb, its particle or "", and the verbs of names.
const REQUESTS: [(&str, &str, &str); 37] = [
    ("schedule", "", "book reserve plan"),
    ("book", "", "schedule"),
    ("arrange", "", "book reserve schedule plan organiz"),
    ("organize", "", "plan schedule arrange create"),
    ("organise", "", "plan schedule arrange create"),
    ("plan", "", "schedule organiz create"),
    ("enter", "", "register enroll record log"),
    ("enroll", "", "register"),
    ("tell", "", "send notifi inform announce"),
    ("let", "know", "send notifi inform announce"),
    ("inform", "", "send notifi"),
    ("shut", "", "close"),
    ("take", "out", "withdraw remove delete"),
    ("make", "", "create book reserve file"),
    ("open", "", "create file"),
    ("file", "", "create report"),
    ("submit", "", "create file"),
    ("raise", "", "create file"),
    ("what", "", "calculate compute"),
    ("how", "", "calculate compute"),
    ("start", "", "create open"),
    ("log", "", "record"),
    ("record", "", "log"),
    ("note", "", "record log"),
    ("put", "", "add assign"),
    ("give", "", "assign"),
    ("move", "", "reschedule"),
    ("new", "", "create add open register book order request schedule"),
    ("set", "up", "create schedule plan"),
    ("sign", "up", "register enroll"),
    ("roll", "out", "deploi release"),
    ("call", "off", "cancel"),
    ("save", "", "add"),
    ("text", "", "send notifi"),
    ("message", "", "send notifi"),
    ("relocate", "", "move transfer"),
    ("shift", "", "move transfer"),
];

/// The requests that may be adjectives instead.
pub(crate) const ADJECTIVES: &str = "open new";
/// Verbs of names that change something, and those of requests that do so with what it becomes, in canonical
/// form.
pub(crate) const CHANGES: &str = "update change edit modifi set";
pub(crate) const CHANGE_VERBS: &str =
    "update change edit modifi set move mark put switch turn make";

/// Verbs at the start of descriptions that say nothing of what a tool does, in canonical form.
pub(crate) const DESCRIBING_VERBS: &str =
    "return provide allow let enable request offer handle manage process";

/// Verbs behind "to" that are no places: "a movie to watch".
pub(crate) const INFINITIVES: &str = "watch attend visit spend travel eat play read learn join meet stay walk drive send \
     pay take find look ask tell ensure check confirm start use";

/// Words before the verb of a request, in canonical form.
pub(crate) const BEFORE_VERBS: &str = "pleas you to and then so i we they just";
/// Words before the verb of a clause.
pub(crate) const JOINTS: &str = "and then while so but also";
/// Generic verbs that ask for a search, in canonical form.
pub(crate) const SEARCHES: &str = "search find look lookup brows";
/// Other verbs at the start of what may be a search, in canonical form: "Show me", "Do you have".
pub(crate) const OFFERS: &str = "show list check get tell give do are which what";
/// Verbs of wishes, and the words that start questions in which they are none, in canonical form.
pub(crate) const WISH_VERBS: &str = "need want like get have";
pub(crate) const QUESTIONS: &str =
    "do does did is are has was were what when where which who how why";

/// Words before the subject of a statement, and those for it in the next clause, in canonical form.
pub(crate) const ARTICLES: &str = "the a an my our your this that";
pub(crate) const PRONOUNS: &str = "it him her them";
/// Verbs behind the name of whom a sentence is about.
pub(crate) const SUBJECT_VERBS: &str = "is was has had will would can could should want wants need needs likes asks paid weighs got gets came comes \
     went goes took left lost found bought sent gave met said works owes";

/// Returns the verbs that ask for the same as a canonical verb.
pub(crate) fn same_verbs(canonical: &str) -> impl Iterator<Item = &'static str> {
    let verbs = SAME.into_iter().find(|verbs| contains(verbs, canonical));
    verbs.into_iter().flat_map(list)
}

/// Returns the requests for what a canonical verb of a name does.
pub(crate) fn requests(canonical: &str) -> impl Iterator<Item = Request> {
    let found = REQUESTS.iter().filter(move |(.., verbs)| contains(verbs, canonical));
    found.map(|(verb, particle, _)| Request {
        verb,
        particle: Some(*particle).filter(|it| !it.is_empty()),
    })
}

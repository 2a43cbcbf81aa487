//! What a schema says of the properties of a call. It is the same for all messages, so a serving thread
//! keeps it.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    ptr,
};

use serde_json::{Map, Value};

use super::{
    budget::{Budget, NoValue},
    flatten::Flattener,
    own_words::own_words,
    prose::{self, DateForm, Shown},
    schema::FlatSchema,
};
use crate::{
    facts::{FactType, Kind, Meaning, Role, meaning_of},
    text::{
        canonical_words,
        lexicon::{OWN_TEXTS, contains, is_generic},
        lower_case_words,
    },
};

/// Maximum number of characters of the subject that are used in values.
const MAX_SUBJECT: usize = 256;
/// Maximum nesting depth of the properties that take facts.
const MAX_NESTING: usize = 4;
/// The last words of properties for the name of a user, or all of their words in one.
const USER_WORDS: [&str; 5] = ["user", "username", "login", "handle", "accountname"];
/// The words of properties for a lower bound, and for an upper one.
pub(super) const LOWEST: &str = "min minimum low lowest";
pub(super) const HIGHEST: &str = "max maximum high highest";
/// Maximum number of words of a description that are used.
const MAX_WORDS: usize = 64;

/// A schema for which values are generated, and what it says of their properties.
pub(crate) struct Described<'a> {
    pub(super) root: &'a Value,
    /// The schemas that apply to the whole value.
    pub(super) schemas: Vec<&'a Value>,
    pub(super) subject: Subject,
    /// Those that take facts first come first.
    pub(super) properties: Vec<Description<'a>>,
    /// The steps that the description took, or `None` if it took more than it may.
    pub(super) steps: Option<usize>,
    /// The stems of the words that it has, each with what it counts, once they are needed.
    pub(super) vocabulary: OnceCell<BTreeMap<String, usize>>,
}

/// The words of what the values are for: the name of a tool, or the title of a response format.
pub(super) struct Subject {
    pub(super) words: Vec<String>,
    pub(super) canonical: Vec<String>,
}

/// What a schema says of a property.
pub(super) struct Description<'a> {
    /// The names of the property and of those around it, outermost first.
    pub(super) path: Vec<String>,
    /// The canonical words of the name.
    pub(super) words: Vec<String>,
    /// The canonical words in one, if there are several: "userid".
    pub(super) joined: String,
    /// The words beside which its facts stand.
    pub(super) own_words: Vec<String>,
    /// The words of the description of a number.
    pub(super) described_words: Vec<String>,
    pub(super) schemas: Vec<&'a Value>,
    /// Whether the object that it belongs to should have it.
    pub(super) is_wanted: bool,
    /// The word of the property that says that it is the name of a user.
    pub(super) user_cue: Option<&'static str>,
    /// Whether it is a month of a year.
    pub(super) is_month: bool,
    /// Whether it is a number of times.
    pub(super) is_times: bool,
    /// Whether the description says that a share is written as a decimal.
    pub(super) has_decimals: bool,
    /// Whether a place has the region, as in "San Francisco, CA".
    pub(super) has_region: bool,
    pub(super) is_array: bool,
    /// The type of the value, or of the items of an array.
    pub(super) type_name: &'a str,
    pub(super) format: Option<&'a str>,
    /// The form of dates that the description shows.
    pub(super) date_form: Option<DateForm>,
    pub(super) pattern: Option<&'a str>,
    /// The values in `enum`.
    pub(super) choices: Vec<&'a Value>,
    /// The values that the description lists.
    pub(super) prose_choices: Vec<String>,
    pub(super) meaning: Option<Meaning>,
    /// What the descriptions show.
    pub(super) shown: Shown<'a>,
}

impl<'a> Described<'a> {
    /// Describes schemas that apply to the same value. `root` is the document that they are in.
    pub(super) fn new(
        root: &'a Value,
        schemas: Vec<&'a Value>,
        subject: &str,
        mut budget: Budget,
    ) -> Self {
        let (subject, granted) = (Subject::new(subject), budget.steps);
        let tool = &subject.canonical;
        let (active, found) = (Vec::new(), Vec::new());
        let mut describer = Describer { root, tool, budget: &mut budget, active, found };
        describer.collect(&schemas, &[]);
        let mut properties = describer.found;
        properties.sort_by_key(Description::rank);
        order_stay(&mut properties);
        let steps = (budget.steps > 0).then(|| granted - budget.steps);
        Self { root, schemas, subject, properties, steps, vocabulary: OnceCell::new() }
    }

    /// Returns `true` if all properties are described.
    pub(crate) fn is_complete(&self) -> bool {
        self.steps.is_some()
    }
}

/// Lets a stay begin with the day of the arrival. Between places, a journey begins with that of the departure.
fn order_stay(properties: &mut [Description]) {
    let is_place = |it: &Description| it.meaning.is_some_and(|it| it.kind() == Kind::Place);
    let day = |word: &str| {
        let is_day = |it: &Description| {
            it.meaning.is_some_and(|it| it.kind() == Kind::Date) && it.has_word(word)
        };
        properties.iter().position(is_day).filter(|_| !properties.iter().any(is_place))
    };
    let Some(arrival) = day("arrival") else { return };
    let departure = day("departure").map(|at| (at, Role::End));
    for (at, role) in [Some((arrival, Role::Start)), departure].into_iter().flatten() {
        properties[at].meaning.iter_mut().for_each(|it| it.role = role);
    }
}

impl Subject {
    fn new(subject: &str) -> Self {
        let end = subject.char_indices().nth(MAX_SUBJECT);
        let subject = end.map_or(subject, |(at, _)| &subject[..at]);
        Self { words: lower_case_words(subject), canonical: canonical_words(subject) }
    }
}

/// Describes properties within a limit on steps.
struct Describer<'a, 's> {
    root: &'a Value,
    /// The words of the tool's name.
    tool: &'s [String],
    budget: &'s mut Budget,
    /// The schemas of the objects around the current property. A reference to one of them is a cycle.
    active: Vec<*const Value>,
    found: Vec<Description<'a>>,
}

impl<'a> Describer<'a, '_> {
    /// Collects the properties of the objects in `schemas` that are not constant.
    fn collect(&mut self, schemas: &[&'a Value], path: &[String]) {
        let Ok(flat) = self.flatten_first(schemas) else { return };
        let outer = self.active.len();
        self.active.extend(schemas.iter().map(|schema| ptr::from_ref(*schema)));
        self.active.extend(&flat.ref_targets);
        let objects = flat.values("properties").filter_map(Value::as_object);
        let all: BTreeSet<&'a str> = objects.flat_map(Map::keys).map(String::as_str).collect();
        let required: Vec<&'a str> = flat.listed("required").filter_map(Value::as_str).collect();
        let lists_required = flat.values("required").next().is_some();
        let first = required.iter().copied().filter(|name| all.contains(name));
        let is_optional = |name: &&str| !required.contains(name);
        for name in first.chain(all.iter().copied().filter(is_optional)) {
            if self.budget.spend_steps(1 + flat.layers.len() + required.len() / 16).is_err() {
                break;
            }
            let is_wanted = required.contains(&name) || !lists_required;
            self.add(flat.property(name), [path, &[name.to_owned()]].concat(), is_wanted);
        }
        self.active.truncate(outer);
    }

    fn add(&mut self, schemas: Vec<&'a Value>, path: Vec<String>, is_wanted: bool) {
        let Ok(mut flat) = self.flatten_first(&schemas) else { return };
        let is_array = flat.type_name() == Some("array");
        let items = if is_array { flat.item(0) } else { Vec::new() };
        if is_array {
            flat = self.flatten_first(&items).unwrap_or_default();
        }
        if flat.constant().is_some() {
            return;
        }
        if flat.type_name() != Some("object") {
            let description = Description::new(path, schemas, &flat, self.tool);
            self.found.push(Description { is_array, is_wanted, ..description });
        } else if path.len() < MAX_NESTING {
            self.collect(if is_array { &items } else { &schemas }, &path);
        }
    }

    /// Flattens schemas with the first choice of branches.
    fn flatten_first(&mut self, schemas: &[&'a Value]) -> Result<FlatSchema<'a>, NoValue> {
        Flattener::new(self.root, &self.active, self.budget, 0).flatten(schemas)
    }
}

impl<'a> Description<'a> {
    /// Describes a property, or the items of one, that the user wants to have and that is not an array.
    fn new(
        path: Vec<String>,
        schemas: Vec<&'a Value>,
        flat: &FlatSchema<'a>,
        tool: &[String],
    ) -> Self {
        let type_name = flat.type_name().unwrap_or("string");
        let is_numeric = is_numeric(type_name);
        let format = flat.strings("format").next();
        let words = path.last().map_or_else(Vec::new, |name| canonical_words(name));
        let shown = Shown::new(descriptions(&schemas, flat));
        let meaning = match type_name {
            "boolean" | "null" => None,
            _ => {
                let form = flat.strings("description").find_map(prose::shown_format);
                let meaning = meaning_of(&words, format.or(form), tool, is_numeric);
                match meaning {
                    Some(it) if it.kind() == Kind::Email && format.is_none() && shown.says_name => {
                        it.of_person()
                    }
                    meaning => meaning,
                }
            }
        };
        let mut date_forms = flat.strings("description").filter(|_| format.is_none());
        let described_words = if is_numeric { described_words(flat) } else { Vec::new() };
        let joined = if words.len() > 1 { words.concat() } else { String::new() };
        let is_user_word =
            |word: &&&str| words.last().is_some_and(|it| it == **word) || joined == ***word;
        let user_cue =
            USER_WORDS.iter().find(is_user_word).filter(|_| type_name == "string").copied();
        Self {
            own_words: own_words(&words),
            user_cue,
            is_month: type_name == "string"
                && (words.last().is_some_and(|word| word == "month")
                    || flat.strings("pattern").any(|it| it.contains("{4}-"))
                    || flat.strings("description").any(prose::shows_month)),
            joined,
            // The canonical form of "times" is that of "time".
            is_times: is_numeric
                && path
                    .last()
                    .is_some_and(|name| lower_case_words(name).contains(&"times".to_owned())),
            has_decimals: is_numeric
                && flat.strings("description").any(|it| it.contains("decimal")),
            described_words,
            words,
            has_region: meaning.is_some_and(|it| it.kind() == Kind::Place)
                && schemas.iter().any(|schema| prose::has_region(schema)),
            schemas,
            is_wanted: true,
            is_array: false,
            type_name,
            format,
            date_form: date_forms.find_map(DateForm::of),
            pattern: flat.strings("pattern").next(),
            choices: flat.listed("enum").collect(),
            prose_choices: prose_choices(meaning, flat),
            shown,
            meaning,
            path,
        }
    }

    /// Returns the canonical words of the name in one.
    pub(super) fn name(&self) -> &str {
        match self.words.as_slice() {
            [word] => word,
            _ => &self.joined,
        }
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.meaning.map(|meaning| meaning.kind())
    }

    /// Returns `true` if the kind of the property takes facts of a type.
    pub(super) fn takes(&self, of: FactType) -> bool {
        self.meaning.is_some_and(|meaning| meaning.row.takes.contains(&of))
    }

    /// Returns `true` if the cue is one of this property.
    pub(super) fn has_cue(&self, cue: &str) -> bool {
        self.meaning.is_some_and(|meaning| meaning.has_cue(cue))
    }

    /// Returns `true` if the property may take a fact behind an exclusive cue.
    pub(super) fn names_cue(&self, cue: &str) -> bool {
        self.meaning.is_some_and(|meaning| meaning.names_cue(cue))
    }

    pub(super) fn role(&self) -> Role {
        self.meaning.map_or(Role::None, |meaning| meaning.role)
    }

    /// Returns when the property takes facts, compared with others: in "rename A to B", the old name
    /// is stated first. Dates have rules of their own.
    fn rank(&self) -> Role {
        match self.kind() {
            Some(Kind::Date | Kind::Moment) => Role::None,
            _ => self.role(),
        }
    }

    pub(super) fn is_numeric(&self) -> bool {
        is_numeric(self.type_name)
    }

    pub(super) fn has_choices(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Returns `true` if the value, or an item of it, may be any words.
    pub(super) fn is_any_text(&self) -> bool {
        self.type_name == "string"
            && self.format.or(self.pattern).is_none()
            && self.choices.is_empty()
            && self.prose_choices.is_empty()
            && self.meaning.is_some_and(|it| {
                let is_title = self.words.len() > 1 || self.has_any_word("title subject");
                it.is_unlisted() || it.kind() == Kind::Title && is_title
            })
    }

    /// Returns `true` for a text about the request, such as a problem, which has no name. A title and the subject of
    /// an exam may have one.
    pub(super) fn is_report(&self) -> bool {
        self.has_any_word(OWN_TEXTS) && !self.has_any_word("title subject")
    }

    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|it| it == word) || self.joined == word
    }

    pub(super) fn has_any_word(&self, list: &str) -> bool {
        self.words.iter().any(|word| contains(list, word))
    }

    /// Returns the cues of its bound if the property is a minimum or a maximum.
    pub(super) fn bound_cues(&self) -> Option<&'static str> {
        if self.has_any_word(LOWEST) {
            Some("over from")
        } else if self.has_any_word(HIGHEST) {
            Some("under up-to to")
        } else {
            None
        }
    }
}

/// Returns the descriptions of a property, and those of its items.
fn descriptions<'a>(schemas: &[&'a Value], flat: &FlatSchema<'a>) -> impl Iterator<Item = &'a str> {
    let own = schemas.iter().filter_map(|schema| schema.get("description")?.as_str());
    own.chain(flat.strings("description").collect::<Vec<_>>())
}

/// Returns the canonical words of the descriptions that are not generic.
fn described_words(flat: &FlatSchema) -> Vec<String> {
    let words = flat.strings("description").flat_map(canonical_words);
    words.filter(|word| word.len() > 1 && !is_generic(word)).take(MAX_WORDS).collect()
}

/// Returns the values that the descriptions of a text without a more specific kind list.
fn prose_choices(meaning: Option<Meaning>, flat: &FlatSchema) -> Vec<String> {
    let takes = meaning.is_some_and(|it| {
        matches!(it.kind(), Kind::Label | Kind::Event | Kind::Room | Kind::Version)
    });
    if !takes || flat.values("enum").next().is_some() {
        return Vec::new();
    }
    flat.strings("description").flat_map(prose::choices).collect()
}

fn is_numeric(type_name: &str) -> bool {
    matches!(type_name, "integer" | "number")
}

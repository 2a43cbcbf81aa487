//! The canonical form of a word. Two words are the same if their canonical forms are equal.

use std::borrow::Cow;

/// The ends of words in s that are no plurals: "class", "status", "analysis".
const SINGULAR: [&str; 6] = ["ss", "us", "is", "alias", "canvas", "atlas"];
/// The ends of singulars and plurals in "es" without the s: "sizes", "boxes", "branches".
const SIBILANTS: [&str; 5] = ["se", "xe", "ze", "che", "she"];

/// Returns the canonical form of a word.
pub fn canonical(word: &str) -> String {
    let mut form = String::with_capacity(word.len());
    canonicalize(word, &mut form);
    form
}

/// Appends the canonical form of a word to `form`.
///
/// The form is in lower case, and most singulars and plurals have the same form.
pub(crate) fn canonicalize(word: &str, form: &mut String) {
    let start = form.len();
    if word.is_ascii() {
        form.push_str(word);
        form[start..].make_ascii_lowercase();
    } else {
        form.extend(word.chars().flat_map(char::to_lowercase));
    }
    let singular = singular(&form[start..]);
    // "query" and "querie", "movie" and "movi".
    let stem = singular.strip_suffix("ie").or(singular.strip_suffix('y'));
    let (end, ends_in_y) = (start + stem.unwrap_or(singular).len(), stem.is_some());
    form.truncate(end);
    if ends_in_y {
        form.push('i');
    }
}

/// Returns a word in lower case without a final s, e or es that is not part of the canonical form.
fn singular(word: &str) -> &str {
    let is_longer_than = |length| word.chars().nth(length).is_some();
    let ends = |word: &str, endings: &[&str]| endings.iter().any(|it| word.ends_with(it));
    let is_plural = |_: &&str| is_longer_than(4) && !ends(word, &SINGULAR);
    let word = word.strip_suffix('s').filter(is_plural).unwrap_or(word);
    let has_e = |_: &&str| ends(word, &SIBILANTS) && is_longer_than(3);
    word.strip_suffix('e').filter(has_e).unwrap_or(word)
}

/// Returns the stem of a canonical word: "calculation", "calculating" and "calculate" have the same. Stems
/// have at least four letters, or three with a final "y", which is written as in canonical words, or before
/// the "s" of a plural.
pub(crate) fn stem(canonical: &str) -> Cow<'_, str> {
    let shorten = |(ending, kept): &(&str, &'static str)| {
        let start = canonical.strip_suffix(ending)?;
        let is_long = start.len() + kept.len() >= 4
            || start.len() == 3 && (start.ends_with('y') || *ending == "s");
        is_long.then_some((start, *kept))
    };
    let Some((start, kept)) = endings(canonical).iter().find_map(shorten) else {
        return Cow::Borrowed(canonical);
    };
    match start.strip_suffix('y') {
        Some(start) if kept.is_empty() => Cow::Owned(format!("{start}i")),
        // "announcement", "announce"
        _ if canonical.ends_with("ement") && start.len() > 4 => {
            Cow::Borrowed(&start[..start.len() - 1])
        }
        _ if kept.is_empty() => Cow::Borrowed(without_at(start)),
        _ => Cow::Owned(format!("{start}{kept}")),
    }
}

/// "reservation" is about "reserve" as "translation" is about "translate".
fn without_at(stem: &str) -> &str {
    let shorter = stem.strip_suffix("at").filter(|it| it.len() >= 4 && !it.ends_with('e'));
    shorter.unwrap_or(stem)
}

/// Returns `true` for a word like "logs", of which the canonical form is no singular, but not for "plus".
fn is_short_plural(word: &[u8]) -> bool {
    word.len() == 4 && !b"aeious".contains(&word[2]) && word != b"news" && word != b"lens"
}

/// Returns the endings that a canonical word may have, each with what the stem has instead.
fn endings(canonical: &str) -> &'static [(&'static str, &'static str)] {
    let ends = |ending: &str| canonical.ends_with(ending);
    match canonical.as_bytes().last() {
        // "multiplication", "multipli"
        Some(b'n') if ends("ication") => &[("cation", "")],
        Some(b'n') if ends("istration") => &[("ration", "")],
        Some(b'n') if ends("ription") => &[("ption", "b")],
        Some(b'n') if ends("ellation") => &[("lation", "")],
        Some(b'n') if !["station", "location"].contains(&canonical) => &[("ion", "")],
        // "cancelled", "cancel"
        Some(b'g') if ends("elling") && canonical.len() > 8 => &[("ling", "")],
        Some(b'g') => &[("ing", "")],
        Some(b'r') => &[("or", ""), ("er", "")],
        Some(b'd') if ends("elled") && canonical.len() > 7 => &[("led", "")],
        Some(b'd') => &[("ed", "")],
        // "absence", "absent"
        Some(b'e') if ends("ence") => &[("ce", "")],
        // "insurance", "insured"
        Some(b'e') if ends("ance") => &[("ance", "")],
        // "complaint", "complain"
        Some(b't') if ends("sent") || ends("aint") => &[("t", "")],
        // "weight", "weigh"
        Some(b't') if canonical == "weight" => &[("t", "")],
        Some(b't') => &[("ment", "")],
        // "catalogue", "catalog"
        Some(b'e') if ends("ogue") => &[("ue", "")],
        Some(b'e') if canonical.len() > 6 && ends("age") => &[("age", "")],
        Some(b'e') => &[("e", "")],
        Some(b'c') if ends("ic") => &[("c", "")],
        // "availability", "available"
        Some(b'i') if ends("abiliti") => &[("iliti", "l")],
        // "delivery", "deliver"
        Some(b'i') if ends("veri") => &[("eri", "")],
        // "removal", "renewal", "rehearsal", "rental"
        Some(b'l') if ends("rental") => &[("al", "")],
        Some(b'l') if ends("val") || ends("wal") || ends("sal") => &[("al", "")],
        Some(b's') if is_short_plural(canonical.as_bytes()) => &[("s", "")],
        Some(b's') => &[("ness", "")],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{canonical, stem};

    #[test]
    fn plurals_equal_their_singulars() {
        let pairs = "user users,file files,address addresses,box boxes,branch branches,hash hashes,\
             query queries,city cities,movie movies,alias aliases,database databases,size sizes,\
             class classes,status statuses,canvas canvases,house houses";
        for pair in pairs.split(",") {
            let (singular, plural) = pair.split_once(' ').unwrap();
            assert_eq!(canonical(singular), canonical(&plural.to_uppercase()), "{pair}");
        }
    }

    #[test]
    fn other_words_differ() {
        let pairs = "new news,i is,clas class,statu status,analysi analysis,rain training,use user,\
             do does,tim times,alia alias,atla atlas";
        for pair in pairs.split(',') {
            let (one, other) = pair.split_once(' ').unwrap();
            assert_ne!(canonical(one), canonical(other), "{pair}");
        }
    }

    #[test]
    fn nouns_have_the_stems_of_their_verbs() {
        let pairs = "deployment deploy,payment pay,repayment repay,registration register,\
             prescription prescribe,subscription subscribing,reservation reserve,translation translate,\
             shipment ship,buying buy,logs log,keys key,calculator calculate,repeating repeat,cancelled cancel,travelling travel,\
             availability available,spelling spell,\
             announcement announce,management manage,rehearsal rehearse,rental rent,catalogue catalog,insurance insured,attendance attend,weight weighed";
        for pair in pairs.split(',') {
            let (noun, verb) = pair.split_once(' ').unwrap();
            assert_eq!(stem(&canonical(noun)), stem(&canonical(verb)), "{pair}");
        }
    }

    #[test]
    fn stems_of_other_words_differ() {
        let pairs = "station state,location locate,party part,county count,story store,moment mo,plus plu,news new,rating rate";
        for pair in pairs.split(',') {
            let (one, other) = pair.split_once(' ').unwrap();
            assert_ne!(stem(&canonical(one)), stem(&canonical(other)), "{pair}");
        }
    }

    proptest! {
        #[test]
        fn forms_start_like_their_words(word in "[abseiyxhu]{1,7}") {
            let form = canonical(&word);
            prop_assert!(!form.is_empty());
            prop_assert!(word.starts_with(&form) || word.starts_with(&form[..form.len() - 1]));
        }
    }
}

//! The canonical form of a word. Two words are the same if their canonical forms are equal.

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

/// Returns the stem of a canonical word: "calculator", "calculating" and "calculate" have the same. Stems
/// have at least four letters.
pub(crate) fn stem(canonical: &str) -> &str {
    let endings: &[&str] = match canonical.as_bytes().last() {
        // "multiplication", "multipli"
        Some(b'n') if canonical.ends_with("ication") => &["cation"],
        Some(b'n') => &["ation", "ion"],
        Some(b'g') => &["ing"],
        Some(b'r') => &["or", "er"],
        Some(b'd') => &["ed"],
        // "absence", "absent"
        Some(b'e') if canonical.ends_with("ence") => &["ce"],
        // "complaint", "complain"
        Some(b't') if canonical.ends_with("sent") || canonical.ends_with("aint") => &["t"],
        Some(b't') => &["ment"],
        Some(b'e') if canonical.len() > 6 && canonical.ends_with("age") => &["age"],
        Some(b'e') => &["e"],
        Some(b'c') if canonical.ends_with("ic") => &["c"],
        // "delivery", "deliver"
        Some(b'i') if canonical.ends_with("veri") => &["eri"],
        Some(b's') => &["ness"],
        _ => &[],
    };
    let stem = endings.iter().find_map(|ending| canonical.strip_suffix(ending));
    stem.filter(|stem| stem.len() >= 4).unwrap_or(canonical)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::canonical;

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

    proptest! {
        #[test]
        fn forms_start_like_their_words(word in "[abseiyxhu]{1,7}") {
            let form = canonical(&word);
            prop_assert!(!form.is_empty());
            prop_assert!(word.starts_with(&form) || word.starts_with(&form[..form.len() - 1]));
        }
    }
}

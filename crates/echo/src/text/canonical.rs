//! The canonical form of a word. Two words are the same if their canonical forms are equal.

/// Words that end in s but are not plurals, apart from those in ss, us and is.
const SINGULAR: [&str; 3] = ["alias", "canvas", "atlas"];

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
    // Most words have none of the endings below.
    if !may_have_ending(&form[start..]) {
        return;
    }
    let ending = ending_to_remove(&form[start..]);
    form.truncate(form.len() - ending);
    // "query" and "querie", "movie" and "movi".
    let ending = if form[start..].ends_with("ie") { 2 } else { 1 };
    if form[start..].ends_with("ie") || form[start..].ends_with('y') {
        form.truncate(form.len() - ending);
        form.push('i');
    }
}

/// Returns `false` for most words that in lower case are their own canonical form.
pub(super) fn may_have_ending(word: &str) -> bool {
    let bytes = word.as_bytes();
    match *bytes {
        [.., b'y' | b'Y'] => true,
        [.., b's' | b'S'] => bytes.len() > 4,
        [.., before, b'e' | b'E'] => {
            matches!(before.to_ascii_lowercase(), b's' | b'x' | b'z' | b'h' | b'i')
        }
        _ => false,
    }
}

/// Returns the length of a final s, e or es that is not part of the canonical form.
fn ending_to_remove(word: &str) -> usize {
    let is_longer_than = |word: &str, length| word.chars().nth(length).is_some();
    let without_s = match word.as_bytes() {
        // Excludes "class", "status" and "analysis".
        [.., b's' | b'u' | b'i', b's'] => word,
        [rest @ .., b's'] if is_longer_than(word, 4) && !SINGULAR.contains(&word) => {
            &word[..rest.len()]
        }
        _ => word,
    };
    // The plural of these words ends in "es".
    let ends_in_sibilant = matches!(
        without_s.as_bytes(),
        [.., b's' | b'x' | b'z', b'e'] | [.., b'c' | b's', b'h', b'e']
    );
    let without_e = usize::from(ends_in_sibilant && is_longer_than(without_s, 3));
    word.len() - without_s.len() + without_e
}

/// Returns the stem of a canonical word: "calculator", "calculating" and "calculate" have the same. Stems
/// have at least four letters.
pub(crate) fn stem(canonical: &str) -> &str {
    let endings = ["ation", "ing", "ion", "or", "er", "ed", "e"];
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

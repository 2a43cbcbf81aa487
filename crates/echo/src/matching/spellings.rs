//! Other ways to split a name with digits into words: `get3DModel` is "get 3D model" too.

use crate::text::{canonical, words};

/// The maximum number of places where a name may be split or not.
const MAX_PLACES: usize = 3;

/// Returns the canonical words of a name for each way to split it next to its digits, apart from the
/// way in which all names are split.
pub(super) fn spellings(name: &str) -> Vec<Vec<String>> {
    let words: Vec<&str> = words(name).map(|word| &name[word.range]).collect();
    let pieces: Vec<&str> = words.iter().flat_map(|word| pieces(word)).collect();
    let is_number = |piece: &str| piece.starts_with(|c: char| c.is_ascii_digit());
    let places = pieces.windows(2).filter(|pair| is_number(pair[0]) || is_number(pair[1]));
    let count = places.count().min(MAX_PLACES);
    let spelling = |joined: usize| {
        let mut place = 0;
        let mut words: Vec<String> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let is_place = at > 0 && (is_number(piece) || is_number(pieces[at - 1]));
            let is_joined = is_place && place < count && joined & 1 << place != 0;
            place += usize::from(is_place);
            match words.last_mut().filter(|_| is_joined) {
                Some(word) => word.push_str(piece),
                None => words.push((*piece).to_owned()),
            }
        }
        words
    };
    let spellings = (0..1 << count).map(spelling).filter(|spelling| *spelling != words);
    spellings.map(|words| words.iter().map(|word| canonical(word)).collect()).collect()
}

/// Splits a word between letters and digits.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let is_digit = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let piece;
        (piece, rest) = rest.split_at(end);
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::spellings;

    #[test]
    fn names_are_split_next_to_digits_or_not() {
        let cases: [(&str, &[&str]); 5] = [
            ("createUser2", &["create user 2"]),
            ("web_3_login", &["web3 login", "web 3login", "web3login"]),
            ("web3Login", &["web 3 login", "web 3login", "web3login"]),
            ("get_user", &[]),
            ("sha256", &["sha 256"]),
        ];
        for (name, expected) in cases {
            let found: Vec<_> = spellings(name).iter().map(|words| words.join(" ")).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}

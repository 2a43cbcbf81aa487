//! Finds facts that have a form of their own: dates, times, amounts, numbers, codes, …

use std::{net::IpAddr, ops::Range, sync::LazyLock};

use memchr::memchr_iter;
use regex::{Captures, Match, Regex};
use rust_decimal::Decimal;

use super::{
    Bare, FactType,
    dates::{SHORT_MONTHS, date, time},
};
use crate::text::{
    Sentence, Word,
    lexicon::{Entry, MONTHS, UNITS, WEEKDAYS},
};

/// Finds the facts of a sentence behind `start` and outside of those already found, which must be
/// sorted.
pub(super) fn find(source: &str, sentence: &Sentence, mut start: usize, found: &mut Vec<Bare>) {
    let excluded: Vec<Range<usize>> = found.iter().map(|(_, range, _)| range.clone()).collect();
    let end = sentence.range.end;
    for range in excluded.iter().chain([&(end..end)]) {
        if start < range.start {
            let words = &sentence.words[sentence.word_from(start)..sentence.word_from(range.start)];
            if may_have_facts(&source[start..range.start], words, source) {
                find_in(&source[start..range.start], start, found);
            }
        }
        start = start.max(range.end);
    }
}

/// Returns `false` for most texts without facts, at a fraction of the cost of [`find_in`].
fn may_have_facts(text: &str, words: &[Word], source: &str) -> bool {
    // A loop without an early end is compiled to few instructions.
    let has_digit = text.bytes().fold(false, |has_digit, byte| has_digit | byte.is_ascii_digit());
    // IP addresses may consist of letters.
    let mut colons = memchr_iter(b':', text.as_bytes());
    let is_ip = |at: usize| text[at + 1..].starts_with(|c: char| c == ':' || c.is_ascii_hexdigit());
    let is_ascii = text.is_ascii();
    let starts_fact = |word: &Word| {
        // The expression does not regard other characters as letters.
        let is_relative = || {
            let run = &source[word.run()];
            let letters = run.split(|c: char| !c.is_ascii()).next().unwrap_or(run);
            Entry::listed(letters).is_relative
        };
        word.run_entry.is_relative || !is_ascii && word.starts_run() && is_relative()
    };
    has_digit || colons.any(is_ip) || words.iter().any(starts_fact)
}

/// Finds the facts in a part of a message that starts at `start`.
fn find_in(text: &str, start: usize, found: &mut Vec<Bare>) {
    let expressions = expressions(text);
    let is_operand = |it: &Bare| {
        let next = expressions.partition_point(|range| range.end <= it.1.start);
        it.0 == FactType::Number
            && expressions.get(next).is_some_and(|range| range.start <= it.1.start)
    };
    for atom in ATOM.find_iter(text).filter(|it| !continues_word(text, it)) {
        let mut facts = Vec::new();
        if is_plain_number(atom.as_str()) {
            // Captures are much slower to find.
            numbers_or_code(atom.as_str(), atom.range(), &mut facts);
        } else if let Some(captures) = ATOM.captures_at(text, atom.start()) {
            read(&captures, &mut facts);
        }
        facts.retain(|it| !is_operand(it));
        found.extend(facts.into_iter().map(|it| shifted(it, start)));
    }
    for range in expressions {
        let text = text[range.clone()].to_owned();
        found.push(shifted((FactType::Expression, range, text), start));
    }
}

fn shifted((of, range, value): Bare, by: usize) -> Bare {
    (of, range.start + by..range.end + by, value)
}

/// Returns the ranges of arithmetic, in order.
fn expressions(text: &str) -> Vec<Range<usize>> {
    if !text.bytes().any(|byte| b"+-*/^%".contains(&byte)) {
        return Vec::new();
    }
    // Without blanks, "-" and "/" are parts of dates and phone numbers.
    let operators = ["+", "*", "^", "%", " - ", " / "];
    let found = EXPRESSION.find_iter(text);
    let is_arithmetic =
        |it: &Match| operators.iter().any(|operator| it.as_str().contains(operator));
    found.filter(is_arithmetic).map(|it| it.range()).collect()
}

static ATOM: LazyLock<Regex> = LazyLock::new(|| {
    let month = MONTHS.replace(' ', "|");
    let month = format!("(?:{month}|(?:{SHORT_MONTHS})\\.?)");
    let weekday = WEEKDAYS.replace(' ', "|");
    let factor = r" ?(?:k|m|thousand|million|billion)\b";
    let number = r"-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?";
    let patterns = [
        r"\b(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b".to_owned(),
        r"\b(?P<ip>[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){3,7}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::[0-9a-f:]*)\b".to_owned(),
        r"\b(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?:T|\b)".to_owned(),
        r"\b(?P<first>[0-9]{1,2})[-/.](?P<second>[0-9]{1,2})[-/.](?P<year3>[0-9]{4})\b".to_owned(),
        format!(r"\b(?P<day1>[0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month1>{month}),? ?(?P<year1>[0-9]{{4}})\b"),
        format!(r"\b(?P<month2>{month}) ?(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?,? ?(?P<year2>[0-9]{{4}})\b"),
        format!(r"\b(?P<relative>[0-9]{{1,2}}(?:st|nd|rd|th)? (?:of )?{month}|{month} [0-9]{{1,2}}(?:st|nd|rd|th)?|today|tonight|tomorrow|yesterday|next (?:week|month|year)|(?:next |this )?(?:{weekday}))\b"),
        r"\b(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<seconds>[0-9]{2})Z?)?(?: ?(?P<half>[ap])\.?m)?\b".to_owned(),
        r"\b(?P<hour1>[0-9]{1,2}) ?(?P<half1>[ap])\.?m\b".to_owned(),
        r"\b(?P<noon>noon)\b|\b(?P<midnight>midnight)\b".to_owned(),
        r"\b(?P<plate>(?-i:[A-Z]{1,3}-[A-Z]{1,2} [0-9]{1,4}|[A-Z]{2}[0-9]{2} [A-Z]{3}))\b".to_owned(),
        r"(?P<phone>\+[0-9][0-9 ()-]{5,18}[0-9]|\(?\b[0-9]{3}\)?[ -][0-9]{3}[ -][0-9]{4}|\b[0-9]{3}-[0-9]{4}|\b0[0-9]{2,4} [0-9]{5,8}|\b0[0-9]{2,4} [0-9]{3,4} [0-9]{3,4}|\b0[0-9](?: [0-9]{2}){4})\b".to_owned(),
        format!(r"(?P<sign>\$|€|£|¥) ?(?P<money>{number}(?:{factor})?)"),
        format!(r"(?P<money1>{number}(?:{factor})?) ?(?P<unit>\$|€|£|¥|(?:dollars?|bucks|euros?|pounds?|yen|yuan|rupees?|francs?|(?-i:[A-Z]{{3}}))\b)"),
        format!(r"(?P<share>{number}) ?(?:%|percent\b)"),
        format!(r"(?P<count>{number} (?:thousand|million|billion|dozen)\b)"),
        r"(?P<token>-?(?:[a-z]+[-_])*[a-z]*[0-9][a-z0-9]*(?:[-_.,/:][a-z0-9]+)*)".to_owned(),
    ];
    compile(&format!("(?i-u:{})", patterns.join("|")))
});

/// Numbers with operators between them.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    let operand = r"[(]*-?[0-9.]*[0-9][)]*";
    compile(&format!(r"(?-u:{operand}(?: ?[+*/^%] ?{operand}| - {operand}|-{operand})+)"))
});

/// Compiles a pattern that is a constant.
#[expect(clippy::expect_used, reason = "patterns are constants, and the tests compile them all")]
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// Returns `true` if an atom starts inside of a word. A letter without case, as in CJK scripts, ends
/// a word.
fn continues_word(text: &str, atom: &Match) -> bool {
    let is_letter = |c: char| c.is_lowercase() || c.is_uppercase();
    // "meters/second^2"
    let before = &text[..atom.start()];
    let last = before.strip_suffix('^').unwrap_or(before).chars().next_back();
    atom.as_str().is_ascii() && last.is_some_and(|c| is_letter(c) || c.is_numeric())
}

/// Returns `true` for a number that is certainly no part of a date, an amount or an address.
fn is_plain_number(atom: &str) -> bool {
    let digits = atom.strip_prefix('-').unwrap_or(atom);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Adds the facts of an atom. The first group that takes part says what it is.
fn read(captures: &Captures, found: &mut Vec<Bare>) {
    let whole = captures.get(0).map_or(0..0, |group| group.range());
    let mut groups = ATOM.capture_names().zip(captures.iter());
    let Some((name, group)) = groups.find_map(|(name, group)| Some((name?, group?))) else {
        return;
    };
    let text = |name: &str| captures.name(name).map_or("", |group| group.as_str());
    let dated =
        |year, month, day| Some((FactType::Date, date(text(year), text(month), text(day))?));
    let whole_text = &captures[0];
    let written = || whole_text.to_owned();
    let fact = match name {
        // "1987.45.2"
        "year" => match dated("year", "month", "day") {
            None if whole_text.contains('.') => return numbers_or_code(whole_text, whole, found),
            date => date,
        },
        // "10/15/2023" and "16.03.2024".
        "first" if text("first").parse().is_ok_and(|it: u32| it > 12) => {
            dated("year3", "second", "first")
        }
        "first" => dated("year3", "first", "second"),
        "day1" => dated("year1", "month1", "day1"),
        "month2" => dated("year2", "month2", "day2"),
        "hour" => time(text("hour"), text("minute"), text("seconds"), text("half"))
            .map(|it| (FactType::Time, it)),
        "hour1" => time(text("hour1"), "", "", text("half1")).map(|it| (FactType::Time, it)),
        "noon" => Some((FactType::Time, "12:00".to_owned())),
        "midnight" => Some((FactType::Time, "00:00".to_owned())),
        "uuid" => Some((FactType::Uuid, written())),
        "relative" => Some((FactType::RelativeDate, written())),
        "plate" => Some((FactType::Code, written())),
        "phone" => Some((FactType::Phone, written())),
        "ip" => group.as_str().parse::<IpAddr>().is_ok().then(|| (FactType::Ip, written())),
        "share" => Some((FactType::Share, plain(group.as_str()))),
        "count" => Some((FactType::Number, multiplied(group.as_str()))),
        "token" => return numbers_or_code(group.as_str(), whole, found),
        _ => return money(captures, found),
    };
    found.extend(fact.map(|(of, value)| (of, whole, value)));
}

/// Adds an amount and its currency, or only a number if the word beside it is not a currency.
fn money(captures: &Captures, found: &mut Vec<Bare>) {
    let group = |names: [&str; 2]| names.iter().find_map(|name| captures.name(name));
    let Some((amount, unit)) = group(["money", "money1"]).zip(group(["sign", "unit"])) else {
        return;
    };
    match Entry::listed(unit.as_str()).currency(unit.as_str()) {
        Some(code) => {
            found.push((FactType::Money, amount.range(), multiplied(amount.as_str())));
            found.push((FactType::Currency, unit.range(), code.to_owned()));
        }
        None => numbers_or_code(amount.as_str(), amount.range(), found),
    }
}

/// Returns the value of an amount such as "10k" or "2.5 million".
fn multiplied(amount: &str) -> String {
    let number = amount.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match amount.as_bytes().get(number.len()) {
        Some(b'k' | b'K' | b't' | b'T') => 1_000,
        Some(b'd' | b'D') => 12,
        Some(b'b' | b'B') => 1_000_000_000,
        Some(_) => 1_000_000,
        None => return plain(amount),
    };
    let number = plain(number.trim_end());
    let product = number.parse::<Decimal>().ok().and_then(|it| it.checked_mul(factor.into()));
    product.map_or(number, |product| product.normalize().to_string())
}

/// Removes the separators between thousands and superfluous zeros.
fn plain(number: &str) -> String {
    let digits = number.replace(',', "");
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        digits
    }
}

/// Adds the number or the code that a token is, or the numbers of a list such as "5,3,4".
fn numbers_or_code(token: &str, range: Range<usize>, found: &mut Vec<Bare>) {
    if is_grouped(token) || token.split(',').any(|item| item.parse::<f64>().is_err()) {
        found.extend(number_or_code(token, range));
        return;
    }
    let mut start = range.start;
    for item in token.split(',') {
        found.push((FactType::Number, start..start + item.len(), plain(item)));
        start += item.len() + 1;
    }
}

/// Returns `true` if commas separate only thousands.
fn is_grouped(token: &str) -> bool {
    let mut groups = token.trim_start_matches('-').split(',');
    groups.next().is_some_and(|first| first.len() < 4 || !token.contains(','))
        && groups.all(|group| group.split('.').next().is_some_and(|it| it.len() == 3))
}

/// Returns the number at the start of "70kg", "3-bedroom", "19th" or "1e-9", with its length.
fn with_unit(token: &str) -> Option<(usize, String)> {
    let rest = token.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = token[..token.len() - rest.len()].trim_end_matches('.');
    number.parse::<f64>().ok()?;
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        exponent.parse::<i32>().ok()?;
        return Some((token.len(), token.parse::<f64>().ok()?.to_string()));
    }
    // "3-bedroom", "63-year-old"
    let is_word =
        |text: &str| text.len() > 2 && text.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
    match rest.strip_prefix('-') {
        Some(word) => is_word(word).then(|| (number.len(), plain(number))),
        None => {
            // "60km/h"
            let unit = rest.split('/').next().unwrap_or(rest);
            let is_unit = UNITS.split(' ').any(|it| it.eq_ignore_ascii_case(unit));
            is_unit.then(|| (token.len(), plain(number)))
        }
    }
}

fn number_or_code(token: &str, range: Range<usize>) -> Option<Bare> {
    let bare = token.trim_start_matches('-');
    if is_grouped(bare)
        && bare.replace(',', "").parse::<f64>().is_ok()
        && bare.starts_with(|c: char| c.is_ascii_digit())
        && !bare.contains(['e', 'E'])
    {
        return Some((FactType::Number, range, plain(token)));
    }
    if let Some((length, value)) = with_unit(bare) {
        let start = range.end - bare.len();
        return Some((FactType::Number, start..start + length, value));
    }
    let has_letter = token.contains(|c: char| c.is_ascii_alphabetic());
    let is_code = !token.contains([',', ':', '/'])
        && (has_letter || token.contains('-') || is_version(token));
    let start = range.end - bare.len();
    is_code.then(|| (FactType::Code, start..range.end, bare.to_owned()))
}

/// Returns `true` for numbers with dots such as 2.4.1, unless they end like a date with a year.
fn is_version(token: &str) -> bool {
    let mut parts = token.rsplit('.').map(str::len);
    parts.clone().count() > 2
        && parts.next().is_some_and(|it| it < 4)
        && parts.all(|it| (1..5).contains(&it))
}

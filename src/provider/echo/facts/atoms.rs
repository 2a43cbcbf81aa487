//! Finds facts that have a form of their own: dates, times, amounts, numbers, codes, …

use std::{net::IpAddr, ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

use super::{
    Bare, FactType,
    lexicon::{MONTHS, Meanings, WEEKDAYS, month_of},
};

/// Finds the facts outside of the `excluded` ranges.
pub(super) fn find(source: &str, excluded: &[Range<usize>], found: &mut Vec<Bare>) {
    let mut start = 0;
    for range in excluded.iter().chain([&(source.len()..source.len())]) {
        let gap = source.get(start..range.start).unwrap_or("");
        let expressions = expressions(gap);
        let is_operand = |it: &Bare| {
            let next = expressions.partition_point(|range| range.end <= it.1.start);
            it.0 == FactType::Number
                && expressions.get(next).is_some_and(|range| range.start <= it.1.start)
        };
        for captures in ATOM.captures_iter(gap) {
            let mut facts = Vec::new();
            read(gap, &captures, &mut facts);
            facts.retain(|it| !is_operand(it));
            found.extend(facts.into_iter().map(|it| shifted(it, start)));
        }
        for range in expressions {
            let text = balanced(&gap[range.clone()]).to_owned();
            found.push(shifted((FactType::Expression, range, text), start));
        }
        start = range.end;
    }
}

fn shifted((of, range, value): Bare, by: usize) -> Bare {
    (of, range.start + by..range.end + by, value)
}

/// Returns the ranges of arithmetic, in order.
fn expressions(text: &str) -> Vec<Range<usize>> {
    // Without blanks, "-" and "/" are parts of dates and phone numbers.
    let operators = ["+", "*", "^", "%", " - ", " / "];
    let found = EXPRESSION.find_iter(text);
    let is_arithmetic = |it: &regex::Match| {
        let text = balanced(it.as_str());
        operators.iter().any(|operator| text.contains(operator))
    };
    found.filter(is_arithmetic).map(|it| it.range()).collect()
}

static ATOM: LazyLock<Regex> = LazyLock::new(|| {
    let month = MONTHS.replace(' ', "|");
    let month = format!("(?:{month}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)");
    let weekday = WEEKDAYS.replace(' ', "|");
    let number = r"-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?";
    let patterns = [
        r"\b(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b".to_owned(),
        r"\b(?P<ip>[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){3,7}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::[0-9a-f:]*)\b".to_owned(),
        r"\b(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})(?:T|\b)".to_owned(),
        format!(r"\b(?P<day1>[0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month1>{month}),? (?P<year1>[0-9]{{4}})\b"),
        format!(r"\b(?P<month2>{month}) (?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?,? (?P<year2>[0-9]{{4}})\b"),
        format!(r"\b(?P<relative>[0-9]{{1,2}}(?:st|nd|rd|th)? (?:of )?{month}|{month} [0-9]{{1,2}}(?:st|nd|rd|th)?|today|tonight|tomorrow|yesterday|next (?:week|month|year)|(?:next |this )?(?:{weekday}))\b"),
        r"\b(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2}Z?)?(?: ?(?P<half>[ap])m)?\b".to_owned(),
        r"\b(?P<hour1>[0-9]{1,2}) ?(?P<half1>[ap])m\b".to_owned(),
        r"(?P<phone>\+[0-9][0-9 ()-]{5,18}[0-9]|\(?\b[0-9]{3}\)?[ -][0-9]{3}-[0-9]{4}|\b[0-9]{3}-[0-9]{4})\b".to_owned(),
        format!(r"(?P<sign>\$|€|£|¥) ?(?P<money>{number})"),
        format!(r"(?P<money1>{number}) ?(?P<unit>\$|€|£|¥|(?:dollars?|bucks|euros?|pounds?|yen|yuan|rupees?|francs?|(?-i:[A-Z]{{3}}))\b)"),
        format!(r"(?P<share>{number}) ?(?:%|percent\b)"),
        r"(?P<token>-?(?:[a-z]+[-_])*[a-z]*[0-9][a-z0-9]*(?:[-_.,/:][a-z0-9]+)*)".to_owned(),
    ];
    compile(&format!("(?i-u:{})", patterns.join("|")))
});

/// Numbers with operators between them.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    let operand = r"[(]*-?[0-9.]*[0-9][)]*";
    compile(&format!(r"(?-u:{operand}(?: ?[+*/^%] ?{operand}| - {operand}|-{operand})+)"))
});

#[expect(clippy::expect_used, reason = "patterns are constants, and the tests compile them all")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

fn read(gap: &str, captures: &Captures, found: &mut Vec<Bare>) {
    let text = |name: &str| captures.name(name).map_or("", |group| group.as_str());
    let whole = captures.get(0).map_or(0..0, |group| group.range());
    let range = |name: &str| captures.name(name).map_or(0..0, |group| group.range());
    let written = gap[whole.clone()].to_owned();
    if gap[..whole.start].ends_with(char::is_alphanumeric) && gap[whole.clone()].is_ascii() {
        let before = gap[..whole.start].chars().next_back();
        // A letter without case, as in CJK scripts, ends a word.
        if before.is_some_and(|c| c.is_lowercase() || c.is_uppercase() || c.is_numeric()) {
            return;
        }
    }
    for suffix in ["", "1", "2"] {
        let part = |name: &str| text(&format!("{name}{suffix}"));
        if !part("year").is_empty() {
            let value = date(part("year"), part("month"), part("day"));
            found.extend(value.map(|value| (FactType::Date, whole.clone(), value)));
            return;
        }
        if !part("hour").is_empty() {
            let value = time(part("hour"), part("minute"), part("half"));
            found.extend(value.map(|value| (FactType::Time, whole.clone(), value)));
            return;
        }
    }
    for (name, of) in
        [("uuid", FactType::Uuid), ("relative", FactType::RelativeDate), ("phone", FactType::Phone)]
    {
        if !text(name).is_empty() {
            found.push((of, whole, written));
            return;
        }
    }
    if !text("ip").is_empty() {
        let is_ip = text("ip").parse::<IpAddr>().is_ok();
        found.extend(is_ip.then_some((FactType::Ip, whole, written)));
    } else if !text("share").is_empty() {
        found.push((FactType::Share, whole, plain(text("share"))));
    } else if !text("token").is_empty() {
        found.extend(number_or_code(text("token"), whole));
    } else {
        let (amount, unit) =
            if text("money").is_empty() { ("money1", "unit") } else { ("money", "sign") };
        match Meanings::of(text(unit)).currency {
            Some(code) => {
                found.push((FactType::Money, range(amount), plain(text(amount))));
                found.push((FactType::Currency, range(unit), code.to_owned()));
            }
            None => found.extend(number_or_code(text(amount), range(amount))),
        }
    }
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

fn number_or_code(token: &str, range: Range<usize>) -> Option<Bare> {
    let bare = token.trim_start_matches('-');
    let is_grouped = bare
        .split(',')
        .skip(1)
        .all(|group| group.split('.').next().is_some_and(|it| it.len() == 3));
    if is_grouped
        && plain(token).parse::<f64>().is_ok()
        && bare.starts_with(|c: char| c.is_ascii_digit())
        && !bare.contains(['e', 'E'])
    {
        let value = if bare.starts_with('0') && bare.len() > 1 && !bare.contains('.') {
            token.to_owned()
        } else {
            plain(token)
        };
        return Some((FactType::Number, range, value));
    }
    let has_letter = token.contains(|c: char| c.is_ascii_alphabetic());
    let is_date_like = !has_letter && token.split('-').count() == 3;
    let is_code =
        !token.contains([',', ':', '/']) && (has_letter || token.contains('-')) && !is_date_like;
    let is_ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .any(|end| bare.strip_suffix(end).is_some_and(|it| it.bytes().all(|b| b.is_ascii_digit())));
    let start = range.end - bare.len();
    (is_code && !is_ordinal).then(|| (FactType::Code, start..range.end, bare.to_owned()))
}

/// Returns a date in ISO 8601, or `None` if there is no such day.
fn date(year: &str, month: &str, day: &str) -> Option<String> {
    let year_number: u32 = year.parse().ok()?;
    let month = month.parse().ok().or_else(|| month_of(month))?;
    let day: u32 = day.parse().ok()?;
    let is_leap = year_number.is_multiple_of(4)
        && (!year_number.is_multiple_of(100) || year_number.is_multiple_of(400));
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Returns a time as HH:MM, or `None` if there is no such time.
fn time(hour: &str, minute: &str, half: &str) -> Option<String> {
    let hour: u32 = hour.parse().ok()?;
    let minute: u32 = if minute.is_empty() { 0 } else { minute.parse().ok()? };
    let hour = match half {
        "" => hour,
        _ if !(1..=12).contains(&hour) => return None,
        "p" | "P" => hour % 12 + 12,
        _ => hour % 12,
    };
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

/// Removes brackets that have no partner.
fn balanced(expression: &str) -> &str {
    let count = |bracket| expression.matches(bracket).count();
    if count('(') == count(')') { expression } else { expression.trim_matches(['(', ')']) }
}

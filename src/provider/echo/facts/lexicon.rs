//! Lists of words with a fixed meaning.

/// ISO 4217 codes.
const CURRENCY_CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
     BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
     GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR \
     LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP \
     PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
     TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL";

/// Other ways to write a currency, each followed by its code.
const CURRENCY_NAMES: &str = "$ USD € EUR £ GBP ¥ JPY dollar USD dollars USD bucks USD euro EUR euros EUR pound GBP \
     pounds GBP yen JPY yuan CNY rupee INR rupees INR franc CHF francs CHF";

/// Names of languages, each followed by its ISO 639-1 code.
const LANGUAGES: &str = "afrikaans af albanian sq arabic ar armenian hy basque eu bengali bn bulgarian bg catalan ca \
     chinese zh croatian hr czech cs danish da dutch nl english en estonian et finnish fi french fr galician gl \
     georgian ka german de greek el hebrew he hindi hi hungarian hu icelandic is indonesian id irish ga italian it \
     japanese ja korean ko latin la latvian lv lithuanian lt malay ms maltese mt mandarin zh nepali ne norwegian no \
     persian fa polish pl portuguese pt punjabi pa romanian ro russian ru serbian sr slovak sk slovenian sl spanish es \
     swahili sw swedish sv tagalog tl tamil ta thai th turkish tr ukrainian uk urdu ur vietnamese vi welsh cy";

/// Units, times and other words that are no places even after "in", and no names even if capitalized.
const NOT_PLACES: &str = "i i'm i'd i'll i've celsius fahrenheit kelvin degree degrees meters metres miles kilometers km \
     inches feet kg kilograms grams pounds hours hour minutes minute seconds second days day weeks week months month \
     years year morning afternoon evening night noon midnight now today tomorrow yesterday tonight time order advance \
     general detail details total progress case fact person here there it that this them me him her us you mine stock \
     touch summer winter spring autumn scratch home work upper lower percent cash person order business economy first \
     class be do go make see get have call know help buy";

pub(super) const MONTHS: &str =
    "january february march april may june july august september october november december";
pub(super) const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve";

fn position(list: &str, word: &str) -> Option<usize> {
    list.split_ascii_whitespace().position(|one| one.eq_ignore_ascii_case(word))
}

/// Returns the value of "one" to "twelve".
pub(super) fn number_of(word: &str) -> Option<usize> {
    position(NUMBERS, word).filter(|number| *number > 0)
}

/// Returns the number of a month by its name or an abbreviation of at least three letters.
pub(super) fn month_of(word: &str) -> Option<u32> {
    let is_month = |month: &str| {
        month.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && word.len() > 2
    };
    let index = MONTHS.split_ascii_whitespace().position(is_month)?;
    u32::try_from(index + 1).ok()
}

/// Returns the code of a currency, given its code in capitals, its sign or its name.
pub(super) fn currency_of(word: &str) -> Option<&'static str> {
    let by_code = CURRENCY_CODES.split_ascii_whitespace().find(|code| *code == word);
    by_code.or_else(|| following(CURRENCY_NAMES, word))
}

/// Returns the code of a language, given its name.
pub(super) fn language_of(word: &str) -> Option<&'static str> {
    following(LANGUAGES, word).filter(|_| word.len() > 2)
}

/// Returns the item after `word` in a list of pairs.
fn following(pairs: &'static str, word: &str) -> Option<&'static str> {
    let mut items = pairs.split_ascii_whitespace();
    while let (Some(name), Some(code)) = (items.next(), items.next()) {
        if name.eq_ignore_ascii_case(word) {
            return Some(code);
        }
    }
    None
}

/// Returns `true` if a word may be, or be part of, the name of a place or a person.
pub(super) fn may_be_name(word: &str) -> bool {
    ![NOT_PLACES, MONTHS, WEEKDAYS].iter().any(|list| position(list, word).is_some())
        && language_of(word).is_none()
        && currency_of(word).is_none()
}

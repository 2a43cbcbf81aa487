//! Units, currencies and languages.

/// Units and endings that grow on numbers.
pub(crate) const UNITS: &str = "st nd rd th kg g mg lb lbs oz km m cm mm mi ft in yd k c f h hr hrs min s ms w kw kwh v \
     hz khz mhz ghz kb mb gb tb l ml kmh mph n j pa mol px";

/// Units of how much there is of something.
pub(crate) const AMOUNT_UNITS: &str =
    "mg g kg ml l lb lbs oz cm m km liters litres grams pounds kilos";

/// Words before "of" and a place.
pub(crate) const DISTANCES: &str =
    "km kilometers kilometres mi miles m meters metres minutes hours north south east west";

/// Other ways to write a currency, each followed by its code.
pub(super) const CURRENCY_NAMES: &str = "$ USD € EUR £ GBP ¥ JPY dollar USD dollars USD bucks USD euro EUR euros EUR pound GBP \
     pounds GBP yen JPY yuan CNY rupee INR rupees INR franc CHF francs CHF";

/// Names of languages, each followed by its ISO 639-1 code.
pub(super) const LANGUAGES: &str = "afrikaans af albanian sq arabic ar armenian hy basque eu bengali bn bulgarian bg catalan ca \
     chinese zh croatian hr czech cs danish da dutch nl english en estonian et finnish fi french fr galician gl \
     georgian ka german de greek el hebrew he hindi hi hungarian hu icelandic is indonesian id irish ga italian it \
     japanese ja korean ko latin la latvian lv lithuanian lt malay ms maltese mt mandarin zh nepali ne norwegian no \
     persian fa polish pl portuguese pt punjabi pa romanian ro russian ru serbian sr slovak sk slovenian sl spanish es \
     swahili sw swedish sv tagalog tl tamil ta thai th turkish tr ukrainian uk urdu ur vietnamese vi welsh cy";

/// Words that are no names of users, even behind "user".
pub(crate) const NO_USERS: &str = "user users let what how where here account accounts access agreement data email \
     experience group groups guide id ids interface list management manual name names page password passwords \
     permission permissions preferences profile profiles role roles screen session sessions settings support attempts \
     credentials details request requests everyone anyone cannot";

/// Words for numbers, each followed by the number.
pub(super) const NUMBERS: &str = "one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 \
     thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 dozen 12 half 0.5";

/// Words that say how often, each followed by the number.
pub(crate) const TIMES: &str = "once 1 twice 2 thrice 3";

/// Seasons, which start names as well.
pub(super) const SEASONS: &str = "spring summer autumn winter";

/// Words of properties for a price, in canonical form.
pub(crate) const PRICES: &str = "price cost fee budget bill";
/// The last words of the names of companies, behind "&".
pub(crate) const PARTNERS: &str =
    "sons son co company partners daughters brothers bros associates family";
/// The last words of the names of streets.
pub(crate) const STREETS: &str = "street st road rd lane avenue ave drive boulevard blvd way square court terrace \
     crescent row alley highway parkway quay";
/// Words of properties for one of the places that somebody has, in canonical form.
pub(crate) const SITES: &str = "store shop branch office site depot warehous";

//! The page with the calls of a file in it, which needs no network.

use serde::Serialize;
use serde_json::value::RawValue;

use super::PAGE;

/// What the page has in place of the data of a report.
const NO_DATA: &str = r#"<script type="application/json" id="data">null</script>"#;

/// The calls of a journal file.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The name of the file.
    pub(crate) source: String,
    /// The entries, oldest first, as the journal writes them.
    pub(crate) entries: Vec<Box<RawValue>>,
    /// How many older entries are left out.
    pub(crate) omitted: u64,
    /// How many lines are no entries.
    pub(crate) skipped: u64,
}

impl Report {
    /// Returns the page. The data cannot end their element, whatever they contain.
    pub(crate) fn to_html(&self) -> String {
        // Texts, numbers and checked JSON can always be serialized.
        let data = serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c");
        PAGE.replacen(NO_DATA, &NO_DATA.replace("null", &data), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_data() {
        assert_eq!(PAGE.matches(NO_DATA).count(), 1);
    }

    #[test]
    fn data_cannot_end_their_element() {
        let entry = RawValue::from_string(r#"{"text":"</script><b>"}"#.to_owned()).unwrap();
        let report = Report { source: "<".into(), entries: vec![entry], omitted: 2, skipped: 1 };
        let html = report.to_html();
        let data = r#"{"source":"\u003c","entries":[{"text":"\u003c/script>\u003cb>"}],"omitted":2,"skipped":1}"#;
        assert!(html.contains(&format!(r#"id="data">{data}</script>"#)));
    }
}

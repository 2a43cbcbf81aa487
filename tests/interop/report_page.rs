//! Tests of the report page of a run in a browser.

mod browser;

use std::path::Path;

use mynah_needs::needs;
use serde_json::{Value, json};

use self::browser::Browser;
use super::toolchain;
use crate::simulate::reports::large_report;

/// Returns what a person sees of the charts: their sizes and colors.
const CHARTS: &str = r#"
    [...document.querySelectorAll("svg")].map(svg => {
        const box = svg.getBoundingClientRect();
        const bars = [...svg.querySelectorAll("rect")].filter(bar => bar.getBoundingClientRect().width > 1);
        const colors = [...new Set(bars.map(bar => getComputedStyle(bar).fill))];
        return { width: box.width, height: box.height, bars: bars.length, colors };
    })
"#;

/// Opens a conversation as a person does, and returns whether its messages are visible.
const OPENS: &str = r#"
    (() => {
        const talk = document.querySelectorAll(".talk")[3];
        const message = talk.querySelector(".text");
        const before = message.checkVisibility();
        talk.querySelector("summary").click();
        talk.scrollIntoView();
        return [before, message.checkVisibility(), message.textContent.length > 10];
    })()
"#;

/// Chooses a group of conversations, and returns the groups of the visible ones.
const FILTERS: &str = r#"
    (() => {
        document.querySelector("label[for=group-1]").click();
        const visible = [...document.querySelectorAll(".talk")].filter(talk => talk.checkVisibility());
        const groups = [...new Set(visible.map(talk => talk.dataset.group))];
        document.querySelector("label[for=group-all]").click();
        return groups;
    })()
"#;

#[needs("chromium")]
#[tokio::test]
async fn report_page_is_readable_in_chromium() {
    let folder = large_report().await;
    toolchain::suite("chromium", || {
        toolchain::find("chromium")?;
        for (width, scheme) in [(1_280, "light"), (390, "light"), (1_280, "dark"), (390, "dark")] {
            check(&folder.join("report.html"), width, scheme);
        }
        Ok(())
    });
}

/// Checks the page at a width in pixels.
fn check(page: &Path, width: u32, scheme: &str) {
    let mut browser = Browser::start();
    browser.set_screen(width, scheme);
    browser.open(page);
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), width, "overflows");
    let charts = browser.evaluate(CHARTS);
    assert_eq!(charts.as_array().unwrap().len(), 4);
    for chart in charts.as_array().unwrap() {
        assert!(chart["width"].as_f64().unwrap() > 280.0, "{chart}");
        assert!(chart["height"].as_f64().unwrap() > 60.0, "{chart}");
        assert!(chart["bars"].as_u64().unwrap() > 3, "{chart}");
        // The markers that plotters draws with are nearly black.
        let colors = chart["colors"].to_string();
        assert!(!colors.contains("rgb(1, 1, 1)") && !colors.contains("rgb(8, 8, 8)"), "{chart}");
    }
    let background = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    let expected = if scheme == "dark" { "rgb(16, 19, 28)" } else { "rgb(245, 246, 250)" };
    assert_eq!(background, expected);
    browser.screenshot(&format!("report-{width}-{scheme}"));
    assert_eq!(browser.evaluate(FILTERS), json!(["1"]));
    assert_eq!(browser.evaluate(OPENS), json!([false, true, true]));
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), width, "overflows");
    browser.screenshot(&format!("report-{width}-{scheme}-conversation"));
    assert_eq!(browser.errors(), [Value::Null; 0]);
}

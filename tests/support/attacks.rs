//! The scale of the attacks in tests, and the rows of the tables that `bench/attacks` prints.

use std::time::Instant;

use super::report;

/// Returns `true` if the attacks run at full scale.
#[expect(clippy::disallowed_methods, reason = "the variable sets the scale")]
pub fn is_full_scale() -> bool {
    std::env::var("MYNAH_ATTACKS").is_ok_and(|scale| scale == "full")
}

/// Returns the current time, to measure another process.
#[expect(clippy::disallowed_methods, reason = "measures another process")]
pub fn now() -> Instant {
    Instant::now()
}

/// Prints a row of a table in bench/README.md if the attacks run at full scale.
pub fn report_row(cells: &[&str]) {
    if is_full_scale() {
        report(&format!("| {} |", cells.join(" | ")));
    }
}

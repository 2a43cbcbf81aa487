//! Analyses the results in a folder.

use std::path::Path;

use super::{adversarial::AdversarialTester, evaluation::evaluate, gather::gather, report::Report};
use crate::run::{RunError, write_file};

/// Name of the file with the report.
const REPORT: &str = "report.json";

/// Analyses the results in a folder and writes report.json there. With a tester, a judge also
/// compares recorded conversations with simulated ones.
///
/// # Errors
///
/// Fails if the results cannot be read or the report cannot be written.
pub async fn analyse(
    folder: &Path,
    tester: Option<&AdversarialTester>,
) -> Result<Report, RunError> {
    let mut report = gather(folder)?;
    if let Some(tester) = tester {
        report.adversarial_evaluation = Some(evaluate(&report.index, tester).await?);
    }
    write_file(&folder.join(REPORT), |target| {
        serde_json::to_writer_pretty(&mut *target, &report)?;
        std::io::Write::write_all(target, b"\n")
    })?;
    Ok(report)
}

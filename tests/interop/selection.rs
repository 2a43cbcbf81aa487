//! Selects the client suites to run, with the environment variable `MYNAH_INTEROP`.

use crate::support::report;

/// The suites. Each is named after the client that it downloads.
const SUITES: [&str; 12] = [
    "chromium",
    "dapr-agents",
    "daprd",
    "go",
    "grpcurl",
    "java",
    "javascript",
    "langchain",
    "mcp",
    "openai",
    "python",
    "rust",
];

/// The suites to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection {
    None,
    Listed(Vec<&'static str>),
    All,
}

impl Selection {
    /// Reads `MYNAH_INTEROP`. Panics if the variable names an unknown suite.
    #[expect(
        clippy::disallowed_methods,
        reason = "the variable is for the tests, not for the program"
    )]
    pub(super) fn from_env() -> Self {
        let value = std::env::var("MYNAH_INTEROP").unwrap_or_default();
        Self::parse(&value).unwrap_or_else(|error| panic!("{error}"))
    }

    fn parse(value: &str) -> Result<Self, String> {
        match value {
            "" | "0" => Ok(Self::None),
            "1" => Ok(Self::All),
            list => list.split(',').map(parse_name).collect::<Result<_, _>>().map(Self::Listed),
        }
    }

    /// Returns `true` if a suite is selected. Its name must be in [`SUITES`].
    pub(super) fn includes(&self, suite: &str) -> bool {
        assert!(SUITES.contains(&suite), "unknown suite `{suite}`");
        match self {
            Self::None => false,
            Self::Listed(suites) => suites.contains(&suite),
            Self::All => true,
        }
    }

    /// Reports the suites that are not selected.
    pub(super) fn report_skipped(&self) {
        let skipped: Vec<_> = SUITES.into_iter().filter(|suite| !self.includes(suite)).collect();
        report(&format!(
            "not run: client suites that download their client ({}); to run all or some of them, \
             set MYNAH_INTEROP=1 or, for example, MYNAH_INTEROP=python,go",
            skipped.join(", ")
        ));
    }
}

fn parse_name(name: &str) -> Result<&'static str, String> {
    SUITES.into_iter().find(|suite| *suite == name.trim()).ok_or_else(|| {
        format!(
            "unknown suite `{name}` in MYNAH_INTEROP; expected 1 or a comma-separated list of: {}",
            SUITES.join(", ")
        )
    })
}

#[test]
fn reads_a_list_of_suites() {
    assert_eq!(Selection::parse(""), Ok(Selection::None));
    assert_eq!(Selection::parse("0"), Ok(Selection::None));
    assert_eq!(Selection::parse("1"), Ok(Selection::All));
    assert_eq!(Selection::parse("python, go"), Ok(Selection::Listed(vec!["python", "go"])));
}

#[test]
fn rejects_unknown_suites() {
    let error = "unknown suite `ruby` in MYNAH_INTEROP; expected 1 or a comma-separated list of: \
                 chromium, dapr-agents, daprd, go, grpcurl, java, javascript, langchain, mcp, openai, python, \
                 rust";
    assert_eq!(Selection::parse("go,ruby"), Err(error.to_owned()));
}

#[test]
fn includes_listed_suites_only() {
    let listed = Selection::Listed(vec!["go"]);
    assert!(listed.includes("go") && !listed.includes("python"));
    assert!(Selection::All.includes("go") && !Selection::None.includes("go"));
}

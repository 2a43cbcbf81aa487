//! Selects the client suites to run, with the environment variable `MYNAH_INTEROP`.

/// The suites. Each is named after the client that it downloads; `packages` packs mynah itself.
pub(crate) const SUITES: [&str; 14] = [
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
    "openai-agents",
    "packages",
    "python",
    "rust",
];

/// The suites to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    None,
    Listed(Vec<&'static str>),
    All,
}

impl Selection {
    /// Parses `MYNAH_INTEROP`. Fails if it names an unknown suite.
    pub(crate) fn parse(value: &str) -> Result<Self, String> {
        match value {
            "" | "0" => Ok(Self::None),
            "1" => Ok(Self::All),
            list => list.split(',').map(parse_name).collect::<Result<_, _>>().map(Self::Listed),
        }
    }

    pub(crate) fn includes(&self, suite: &str) -> bool {
        match self {
            Self::None => false,
            Self::Listed(suites) => suites.contains(&suite),
            Self::All => true,
        }
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
                 chromium, dapr-agents, daprd, go, grpcurl, java, javascript, langchain, mcp, openai, \
                 openai-agents, packages, python, rust";
    assert_eq!(Selection::parse("go,ruby"), Err(error.to_owned()));
}

#[test]
fn includes_listed_suites_only() {
    let listed = Selection::Listed(vec!["go"]);
    assert!(listed.includes("go") && !listed.includes("python"));
    assert!(Selection::All.includes("go") && !Selection::None.includes("go"));
}

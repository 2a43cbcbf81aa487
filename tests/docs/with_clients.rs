//! Runs all commands on the pages that run downloaded clients.

use mynah_needs::needs;

use super::{Page, run, used_suites};

macro_rules! pages {
    ($($test:ident($($suite:literal),*): $path:literal,)*) => {
        pub(super) const PAGES: &[&str] = &[$($path),*];

        $(
            #[needs("curl", $($suite),*)]
            #[test]
            fn $test() {
                let suites = [$($suite),*];
                assert_eq!(used_suites(&Page::read($path).steps()), suites);
                run($path, &suites);
            }
        )*
    };
}

pages! {
    daprd("daprd"): "docs/daprd.md",
    getting_started("grpcurl", "python", "go", "rust"): "docs/getting-started.md",
    readme("python", "rust"): "README.md",
    record("python"): "docs/record.md",
    stand_in("daprd"): "docs/stand-in.md",
    testing("python"): "docs/testing.md",
}

//! Runs the commands of README.md and of the pages in `docs/`, and compares what they print.
//!
//! A fenced `console` block shows a terminal. A line that begins with `$ ` is a command; it
//! continues while a quote is open or the line ends in `\`. The lines after it are the expected
//! standard output. The commands of a page run in order, in the folder of the repository, and must
//! succeed. The default ports are replaced by the ports of the running mynah.
//! [`terminal::Terminal::run`] lists the commands that are treated specially.

mod book;
mod checks;
mod page;
mod snippets;
mod terminal;

use self::{page::Page, terminal::Terminal};

/// Defines a test for each page, and the list of all pages.
macro_rules! pages {
    ($($test:ident: $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];

        $(
            #[test]
            fn $test() {
                run($path);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    api: "docs/api.md",
    chains: "docs/chains.md",
    command_line: "docs/command-line.md",
    compatibility: "docs/compatibility.md",
    components: "docs/components.md",
    echo: "docs/echo.md",
    getting_started: "docs/getting-started.md",
    limits: "docs/limits.md",
    moving_from_daprd: "docs/moving-from-daprd.md",
    performance: "docs/performance.md",
    scripting: "docs/scripting.md",
    security: "docs/security.md",
    stand_in: "docs/stand-in.md",
    terminal: "docs/terminal.md",
    testing: "docs/testing.md",
    tools: "docs/tools.md",
}

/// Runs the commands of a page and checks its snippets.
fn run(path: &str) {
    let page = Page::read(path);
    let steps = page.steps();
    let mut terminal = Terminal::open(&steps);
    steps.iter().for_each(|step| terminal.run(step));
    snippets::check(&page);
}

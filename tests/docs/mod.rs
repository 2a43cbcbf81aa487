//! Runs the commands in README.md and in the pages in `docs/`, and checks their output.
//!
//! A fenced `console` block shows a terminal. A line that begins with `$ ` is a command. The
//! command continues on the next line while a quote is open or if the line ends in `\`. The lines
//! after the command are its expected standard output. The commands on a page run in order, from
//! the root of the repository, and must succeed. The default ports are replaced with the ports of
//! the running mynah. [`terminal::Terminal::run`] lists the exceptions.

mod book;
mod calls;
mod checks;
mod page;
mod snippets;
mod terminal;

use self::{page::Page, terminal::Terminal};

/// Defines the list of all pages and a test for each page.
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
    component_tools: "docs/component-tools.md",
    compatibility: "docs/compatibility.md",
    components: "docs/components.md",
    control: "docs/control.md",
    daprd: "docs/daprd.md",
    echo: "docs/echo.md",
    faults: "docs/faults.md",
    getting_started: "docs/getting-started.md",
    limits: "docs/limits.md",
    moving_from_daprd: "docs/moving-from-daprd.md",
    openai: "docs/openai.md",
    performance: "docs/performance.md",
    rules: "docs/rules.md",
    scripting: "docs/scripting.md",
    security: "docs/security.md",
    simulate: "docs/simulate.md",
    stand_in: "docs/stand-in.md",
    terminal: "docs/terminal.md",
    testing: "docs/testing.md",
    testing_go: "docs/testing-go.md",
    testing_python: "docs/testing-python.md",
    tools: "docs/tools.md",
}

/// Runs the commands on a page and checks its other code blocks.
fn run(path: &str) {
    let page = Page::read(path);
    let steps = page.steps();
    let mut terminal = Terminal::open(&steps);
    steps.iter().for_each(|step| terminal.run(step));
    snippets::check(&page);
}

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
mod with_clients;

use mynah_needs::needs;

use self::{
    page::Page,
    terminal::{Terminal, used_suites},
};

/// Defines the list of all pages, and a test for each page with the programs that it needs. It skips
/// the commands that run downloaded clients.
macro_rules! pages {
    ($($test:ident($($program:literal),*): $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];

        $(
            #[needs($($program),*)]
            #[test]
            fn $test() {
                let skips = !used_suites(&Page::read($path).steps()).is_empty();
                assert_eq!(skips, with_clients::PAGES.contains(&$path), "the list with_clients");
                run($path, &[]);
            }
        )*
    };
}

pages! {
    readme("curl"): "README.md",
    api("curl"): "docs/api.md",
    chains(): "docs/chains.md",
    command_line(): "docs/command-line.md",
    component_tools("curl"): "docs/component-tools.md",
    compatibility("node"): "docs/compatibility.md",
    components("curl"): "docs/components.md",
    control("curl"): "docs/control.md",
    daprd("curl"): "docs/daprd.md",
    echo("curl"): "docs/echo.md",
    faults("curl"): "docs/faults.md",
    getting_started("curl"): "docs/getting-started.md",
    go_helper(): "go/README.md",
    inspector("curl"): "docs/inspector.md",
    install(): "docs/install.md",
    java_helper(): "java/README.md",
    javascript_helper(): "js/README.md",
    limits(): "docs/limits.md",
    moving_from_daprd("curl"): "docs/moving-from-daprd.md",
    openai("curl"): "docs/openai.md",
    performance(): "docs/performance.md",
    record("curl"): "docs/record.md",
    rules("curl"): "docs/rules.md",
    scripting("curl"): "docs/scripting.md",
    security("curl"): "docs/security.md",
    simulate(): "docs/simulate.md",
    stand_in("curl"): "docs/stand-in.md",
    terminal(): "docs/terminal.md",
    testing("curl"): "docs/testing.md",
    testing_dapr_agents(): "docs/testing-dapr-agents.md",
    testing_go(): "docs/testing-go.md",
    testing_java(): "docs/testing-java.md",
    testing_javascript(): "docs/testing-javascript.md",
    testing_python(): "docs/testing-python.md",
    tools(): "docs/tools.md",
}

/// Runs the commands on a page, with the clients of these suites, and checks its other code blocks.
fn run(path: &str, suites: &[&str]) {
    let page = Page::read(path);
    let steps = page.steps();
    let mut terminal = Terminal::open(&steps, suites);
    steps.iter().for_each(|step| terminal.run(step));
    snippets::check(&page);
}

//! An MCP server with the official Python SDK.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
};

use super::{folder, toolchain};
use crate::support::{process::wait_until, scratch};

/// A server, and the file with its tools.
pub(super) struct Server {
    python: PathBuf,
    pub(super) folder: PathBuf,
    /// The process of a server that is called over HTTP. mynah starts the other ones.
    pub(super) process: Option<Child>,
}

impl Server {
    /// A server that is started by mynah.
    fn stdio(python: &Path) -> Self {
        let server = Self { python: python.to_owned(), folder: scratch("mcp"), process: None };
        let [python, script, folder] = server.command().map(|word| word.display().to_string());
        server.add(&format!("command: [{python}, {script}, stdio, {folder}]"));
        server
    }

    /// A server that is called over HTTP.
    async fn http(python: &Path) -> Self {
        let mut server = Self { python: python.to_owned(), folder: scratch("mcp"), process: None };
        server.start("0");
        let port = async || fs::read_to_string(server.folder.join("port")).ok();
        let port = wait_until(port, "the server does not listen").await;
        server.add(&format!("url: 'http://127.0.0.1:{port}/mcp'"));
        server
    }

    /// Returns the interpreter, the script and the folder.
    fn command(&self) -> [PathBuf; 3] {
        [self.python.clone(), folder("tests/interop/mcp/server.py"), self.folder.clone()]
    }

    fn start(&mut self, port: &str) {
        let [python, script, folder] = self.command();
        let mut command = Command::new(python);
        command.arg(script).arg("http").arg(&folder).arg(port);
        command.stderr(File::create(folder.join("log")).unwrap());
        self.process = Some(command.spawn().unwrap());
    }

    /// Starts a server again that has ended, unless mynah starts it.
    pub(super) async fn restart(&mut self) {
        if let Some(mut ended) = self.process.take() {
            ended.wait().unwrap();
            let file = self.folder.join("port");
            let port = fs::read_to_string(&file).unwrap();
            fs::remove_file(&file).unwrap();
            self.start(&port);
            let exists = async || file.exists().then_some(());
            wait_until(exists, "the server does not listen").await;
        }
    }

    /// Returns the file with the tools.
    pub(super) fn tools_file(&self) -> PathBuf {
        self.folder.join("tools.yaml")
    }

    fn add(&self, keys: &str) {
        let yaml = format!("tools:\n- {{mcp: {{{keys}}}, repeatable: true}}\n");
        fs::write(self.tools_file(), yaml).unwrap();
    }

    pub(super) fn events(&self) -> Vec<String> {
        let events = fs::read_to_string(self.folder.join("events")).unwrap_or_default();
        events.lines().map(str::to_owned).collect()
    }

    pub(super) async fn wait_for_event(&self, event: &str) {
        let found = async || self.events().iter().any(|it| it == event).then_some(());
        wait_until(found, "the event did not happen").await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Runs a test of the suite `mcp` with a server of each kind.
pub(super) fn with_servers(test: &impl AsyncFn(&mut Server)) {
    toolchain::suite("mcp", || {
        let requirements = folder("tests/interop/mcp/requirements.txt");
        let python = toolchain::python("mcp", &requirements)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async {
            test(&mut Server::stdio(&python)).await;
            test(&mut Server::http(&python).await).await;
        });
        Ok(())
    });
}

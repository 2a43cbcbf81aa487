//! A headless Chromium, controlled with the Chrome DevTools Protocol.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{interop::toolchain, support::scratch};

/// Chromium reads commands from descriptor 3 and writes to descriptor 4. It must not inherit stdout,
/// and as root, it does not run with its sandbox.
const START: &str = r#"
    exec chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
        --user-data-dir="$0" --remote-debugging-pipe 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null
"#;

/// A browser with one page.
pub(super) struct Browser {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<Value>,
    commands: u64,
    errors: Vec<Value>,
}

impl Browser {
    /// Starts Chromium and opens an empty page.
    pub(super) fn start() -> Self {
        let mut command = Command::new("timeout");
        command.args(["120", "sh", "-c", START]).arg(scratch("chromium"));
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("timeout exists");
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (session, errors) = (None, Vec::new());
        let mut browser = Self { process, input, output, session, commands: 0, errors };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = Some(browser.call("Target.attachToTarget", &target)["sessionId"].clone());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Sets the width of the screen and the color scheme.
    pub(super) fn set_screen(&mut self, width: u32, scheme: &str) {
        let screen =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &screen);
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Opens a file.
    pub(super) fn open(&mut self, file: &Path) {
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", &json!({"url": url}));
        while self.read()["method"] != "Page.loadEventFired" {}
    }

    /// Returns the value of a JavaScript expression.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let expression = json!({"expression": expression, "returnByValue": true});
        let result = self.call("Runtime.evaluate", &expression);
        assert_eq!(result["exceptionDetails"], Value::Null);
        result["result"]["value"].clone()
    }

    /// Writes what is on the screen to `target/screenshots`.
    pub(super) fn screenshot(&mut self, name: &str) {
        let data = self.call("Page.captureScreenshot", &json!({}))["data"].clone();
        let folder = toolchain::root().with_file_name("screenshots");
        fs::create_dir_all(&folder).unwrap();
        let file = File::create(folder.join(format!("{name}.png"))).unwrap();
        let mut base64 = Command::new("base64");
        base64.arg("-d").stdin(Stdio::piped()).stdout(file);
        let mut decode = base64.spawn().unwrap();
        decode.stdin.take().unwrap().write_all(data.as_str().unwrap().as_bytes()).unwrap();
        assert!(decode.wait().unwrap().success());
    }

    /// Returns the errors on the console and the requests for anything but the page.
    pub(super) fn errors(&mut self) -> &[Value] {
        // Events arrive before the response to a later command.
        self.evaluate("0");
        &self.errors
    }

    /// Sends a command and returns its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.commands += 1;
        let mut command = json!({"id": self.commands, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = session.clone();
        }
        self.input.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let message = self.read();
            if message["id"] == self.commands {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
        }
    }

    /// Reads a message. Keeps it if it reports an error.
    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.output.read_until(0, &mut message).unwrap();
        let text = message.strip_suffix(b"\0").expect("Chromium runs");
        let message: Value = serde_json::from_slice(text).unwrap();
        let parameters = &message["params"];
        let is_error = match message["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Log.entryAdded") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap();
                !url.starts_with("file://") && !url.starts_with("data:")
            }
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.clone());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // `timeout` passes the signal on to Chromium.
        let pid = rustix::process::Pid::from_child(&self.process);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.process.wait();
    }
}

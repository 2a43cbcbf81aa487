//! Tests of Dapr's Go SDK.

use std::process::Command;

use mynah_needs::needs;

use super::{folder, owner, run_tests, toolchain};
use crate::support::Sidecar;

/// A component whose streams take hours.
const SLOW: &str = "
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: echo
spec:
  type: conversation.echo
  version: v1
  metadata:
    - name: chunkDelay
      value: 1h
";

#[needs("go")]
#[test]
fn go_suite_passes() {
    toolchain::suite("go", || {
        let home = folder("tests/interop/go");
        toolchain::go_modules(&home)?;
        let slow = Sidecar::with_components(SLOW);
        let mut tests = Command::new("go");
        // -count=1 disables the test cache, because the results depend on the sidecar.
        tests.args(["test", "-count=1", "-v", "./..."]).current_dir(home);
        tests.env("SLOW_GRPC_PORT", slow.grpc.port().to_string());
        let _owner = owner::start_for(&mut tests);
        run_tests("go test", &mut tests);
        Ok(())
    });
}

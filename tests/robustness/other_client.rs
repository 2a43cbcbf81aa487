//! The latency of calls during an attack.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::short_pause;
use crate::support::{
    attacks::{now, report_row},
    messages::prompt,
    process::with_timeout,
};

/// Prints a row of the table of attacks on memory and time.
pub fn report_attack(what: &str, peak_in_mib: usize, latencies: &Latencies) {
    let [median, slowest] =
        [latencies.median(), latencies.slowest()].map(|t| t.as_secs_f64() * 1e3);
    let [median, slowest] = [format!("{median:.1} ms"), format!("{slowest:.0} ms")];
    report_row(&[what, &format!("{peak_in_mib} MiB"), &median, &slowest]);
}

/// A client that makes short calls, one after the other, on its own thread.
pub struct OtherClient {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Duration>>,
}

impl OtherClient {
    pub fn start(address: SocketAddr) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = is_over.clone();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(Self::call(address, &stop))
        });
        Self { is_over, thread }
    }

    async fn call(address: SocketAddr, stop: &AtomicBool) -> Vec<Duration> {
        let url = format!("http://{address}");
        let connect = mynah::internals::wire::proto::dapr_client::DaprClient::connect(url);
        let mut client = connect.await.unwrap();
        let mut latencies = Vec::new();
        while latencies.is_empty() || !stop.load(Ordering::Relaxed) {
            let start = now();
            with_timeout(client.converse_alpha2(prompt("hello", []))).await.unwrap();
            latencies.push(start.elapsed());
            let _ = with_timeout(short_pause()).await;
        }
        latencies
    }

    /// Ends the client after its current call.
    pub fn stop(self) -> Latencies {
        self.is_over.store(true, Ordering::Relaxed);
        Latencies::new(self.thread.join().unwrap())
    }
}

/// The latencies of at least one call, sorted.
#[derive(Debug)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn new(mut latencies: Vec<Duration>) -> Self {
        latencies.sort();
        Self(latencies)
    }

    pub fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn slowest(&self) -> Duration {
        self.0[self.0.len() - 1]
    }
}

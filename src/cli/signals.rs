//! Receives signals, and forwards them to a child process. Closing stdin can also end the program.

use std::{future::pending, io, thread};
#[cfg(unix)]
use std::{future::ready, pin::pin, sync::Arc};

#[cfg(unix)]
use futures_util::StreamExt;
#[cfg(unix)]
use signal_hook::iterator::exfiltrator::{WithOrigin, origin::Origin};
#[cfg(unix)]
use signal_hook_tokio::SignalsInfo;
use tokio::sync::oneshot;

/// Where signals come from.
#[cfg(unix)]
type Source = SignalsInfo<WithOrigin>;
#[cfg(not(unix))]
type Source = ();

/// Receives signals. From its creation on, their default actions are disabled.
pub(super) struct Signals {
    source: Source,
    /// Ready when the program shall end as after SIGTERM.
    end: Option<oneshot::Receiver<()>>,
}

/// A signal that this process received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Received {
    pub(super) signal: Signal,
    /// Whether the system sent the signal, for example because of Ctrl-C, and not a process.
    #[cfg(unix)]
    is_from_system: bool,
}

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGINT, sent by Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP, sent when the terminal closes.
    Hangup,
    /// SIGQUIT, sent by Ctrl-\.
    Quit,
    /// SIGUSR1.
    User1,
    /// SIGUSR2.
    User2,
}

/// Lets writes above the limit on the size of files (`ulimit -f`) fail, instead of ending the
/// process with SIGXFSZ.
#[cfg(unix)]
pub(super) fn report_file_size_limit() -> io::Result<()> {
    // A flag that nobody reads: with a handler, the signal does not end the process.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()).map(drop)
}

/// Does nothing: there is no such limit.
#[cfg(not(unix))]
pub(super) fn report_file_size_limit() -> io::Result<()> {
    Ok(())
}

impl Signals {
    /// Receives the signals that stop the sidecar.
    pub(super) fn for_shutdown() -> io::Result<Self> {
        Self::listen(&[Signal::Interrupt, Signal::Terminate])
    }

    /// Receives the signals that cancel a command in a terminal.
    pub(super) fn for_cancellation() -> io::Result<Self> {
        Self::listen(&[Signal::Interrupt, Signal::Terminate, Signal::Hangup, Signal::Quit])
    }

    /// Receives all signals that can be forwarded to another process.
    pub(super) fn for_forwarding() -> io::Result<Self> {
        #[cfg(unix)]
        return Self::listen(&Signal::ALL);
        #[cfg(not(unix))]
        return Self::listen(&[Signal::Interrupt]);
    }

    #[cfg(unix)]
    fn listen(signals: &[Signal]) -> io::Result<Self> {
        let numbers = signals.iter().map(|signal| signal.number().as_raw());
        Ok(Self { source: SignalsInfo::new(numbers)?, end: None })
    }

    #[cfg(not(unix))]
    fn listen(_: &[Signal]) -> io::Result<Self> {
        Ok(Self { source: (), end: None })
    }

    /// Also receives SIGTERM when `wait`, which blocks, has returned.
    pub(super) fn end_with(&mut self, wait: fn()) -> io::Result<()> {
        let (ended, end) = oneshot::channel();
        let work = move || {
            wait();
            // Ignore the error: the receiver is gone if the program is ending.
            let _ = ended.send(());
        };
        thread::Builder::new().name("stdin".to_owned()).spawn(work)?;
        self.end = Some(end);
        Ok(())
    }

    /// Runs `work` until it completes or a signal arrives, which is the error.
    pub(super) async fn interrupt<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, Signal> {
        tokio::select! {
            output = work => Ok(output),
            received = self.next() => Err(received.signal),
        }
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Received {
        let ended = async {
            match &mut self.end {
                // An error means that the thread panicked, which is also an end.
                Some(end) => drop(end.await),
                None => pending().await,
            }
        };
        tokio::select! {
            () = ended => {
                self.end = None;
                Received::TERMINATE
            }
            received = next(&mut self.source) => received,
        }
    }
}

/// Waits for the next signal.
#[cfg(unix)]
async fn next(source: &mut Source) -> Received {
    let received = source.by_ref().filter_map(|origin| ready(Received::new(&origin)));
    match pin!(received).next().await {
        Some(received) => received,
        None => pending().await,
    }
}

/// Waits for the next signal.
#[cfg(not(unix))]
async fn next((): &mut Source) -> Received {
    if tokio::signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
    Received { signal: Signal::Interrupt }
}

#[cfg(not(unix))]
impl Received {
    /// SIGTERM, as if another process had sent it.
    const TERMINATE: Self = Self { signal: Signal::Terminate };

    /// Does nothing: Ctrl-C reaches all processes attached to the console.
    pub(super) fn forward_to(self, _process: u32) {}
}

#[cfg(not(unix))]
impl Signal {
    /// Returns the exit code that Unix shells use after Ctrl-C.
    pub(super) fn exit_code(self) -> u8 {
        130
    }
}

#[cfg(unix)]
impl Received {
    /// SIGTERM, as if another process had sent it.
    const TERMINATE: Self = Self { signal: Signal::Terminate, is_from_system: false };

    /// Returns `None` for a signal that is none of [`Signal`].
    pub(super) fn new(origin: &Origin) -> Option<Self> {
        let signal = Signal::ALL.into_iter().find(|s| s.number().as_raw() == origin.signal)?;
        Some(Self { signal, is_from_system: origin.process.is_none() })
    }

    /// Forwards the signal to a child process.
    ///
    /// The terminal itself sends Ctrl-C to every process in the foreground. In that case the signal
    /// is not forwarded, because the child would take it for a second Ctrl-C.
    pub(super) fn forward_to(self, process: u32) {
        use rustix::process::{Pid, kill_process};
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        if let Some(process) = process.filter(|_| !self.is_from_system) {
            // Ignore failure: the process may have exited.
            let _ = kill_process(process, self.signal.number());
        }
    }
}

#[cfg(unix)]
impl Signal {
    pub(super) const ALL: [Self; 6] =
        [Self::Interrupt, Self::Terminate, Self::Hangup, Self::Quit, Self::User1, Self::User2];

    /// Returns the exit code that shells use for a process terminated by the signal.
    pub(super) fn exit_code(self) -> u8 {
        u8::try_from(128 + self.number().as_raw()).unwrap_or(1)
    }

    pub(super) fn number(self) -> rustix::process::Signal {
        use rustix::process::Signal as Number;
        match self {
            Self::Interrupt => Number::INT,
            Self::Terminate => Number::TERM,
            Self::Hangup => Number::HUP,
            Self::Quit => Number::QUIT,
            Self::User1 => Number::USR1,
            Self::User2 => Number::USR2,
        }
    }
}

/// Reads standard input to its end.
pub(super) fn read_stdin_to_end() {
    // An error is also an end.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
}

/// Waits until the writer of a pipe or the terminal on standard input is gone. Reads nothing, since the
/// input belongs to another process. Other files are never closed.
#[cfg(unix)]
pub(super) fn wait_until_stdin_closed() {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };
    let stdin = io::stdin();
    // That the other end is gone is always reported.
    let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
    while poll(&mut watched, None) == Err(Errno::INTR) {}
}

/// Waits for ever: the input belongs to another process.
#[cfg(not(unix))]
pub(super) fn wait_until_stdin_closed() {
    loop {
        std::thread::park();
    }
}

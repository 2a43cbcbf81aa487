//! Receives signals, and forwards them to a child process.

use std::io;
#[cfg(unix)]
use std::{
    future::{pending, ready},
    pin::pin,
    sync::Arc,
};

#[cfg(unix)]
use futures_util::StreamExt;
#[cfg(unix)]
use signal_hook::iterator::exfiltrator::{WithOrigin, origin::Origin};
#[cfg(unix)]
use signal_hook_tokio::SignalsInfo;

/// Receives signals. From its creation on, their default actions are disabled.
#[cfg(unix)]
pub(super) struct Signals(SignalsInfo<WithOrigin>);

/// Receives signals. From its creation on, their default actions are disabled.
#[cfg(not(unix))]
pub(super) struct Signals;

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
        SignalsInfo::new(numbers).map(Self)
    }

    #[cfg(not(unix))]
    fn listen(_: &[Signal]) -> io::Result<Self> {
        Ok(Self)
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
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Received {
        let received = self.0.by_ref().filter_map(|origin| ready(Received::new(&origin)));
        match pin!(received).next().await {
            Some(received) => received,
            None => pending().await,
        }
    }

    /// Waits for the next signal.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Received {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Received { signal: Signal::Interrupt }
    }
}

#[cfg(not(unix))]
impl Received {
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
    /// Returns `None` for a signal that is none of [`Signal`].
    fn new(origin: &Origin) -> Option<Self> {
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
    const ALL: [Self; 6] =
        [Self::Interrupt, Self::Terminate, Self::Hangup, Self::Quit, Self::User1, Self::User2];

    /// Returns the exit code that shells use for a process terminated by the signal.
    pub(super) fn exit_code(self) -> u8 {
        u8::try_from(128 + self.number().as_raw()).unwrap_or(1)
    }

    fn number(self) -> rustix::process::Signal {
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

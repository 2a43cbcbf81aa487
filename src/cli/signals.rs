//! Receives signals, and forwards them to a child process.

use std::io;
#[cfg(unix)]
use std::task::Poll;

/// Receives signals. From its creation on, their default actions are disabled.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Signals(Vec<(Signal, tokio::signal::unix::Signal)>);

/// Receives signals. From its creation on, their default actions are disabled.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct Signals;

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
        use Signal::{Hangup, Interrupt, Quit, Terminate, User1, User2};
        Self::listen(&[Interrupt, Terminate, Hangup, Quit, User1, User2])
    }

    #[cfg(unix)]
    fn listen(signals: &[Signal]) -> io::Result<Self> {
        let listen = |signal: &Signal| Ok((*signal, tokio::signal::unix::signal(signal.kind())?));
        signals.iter().map(listen).collect::<io::Result<_>>().map(Self)
    }

    #[cfg(not(unix))]
    fn listen(_: &[Signal]) -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            let received = |(signal, stream): &mut (Signal, tokio::signal::unix::Signal)| {
                stream.poll_recv(context).is_ready().then_some(*signal)
            };
            self.0.iter_mut().find_map(received).map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Waits for the next signal.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

#[cfg(not(unix))]
impl Signal {
    /// Returns the exit code that Unix shells use after Ctrl-C.
    pub(super) fn exit_code(self) -> u8 {
        130
    }

    /// Does nothing: Ctrl-C reaches all processes attached to the console.
    pub(super) fn forward_to(self, _process: u32) {}
}

#[cfg(unix)]
impl Signal {
    /// Forwards the signal to a child process.
    ///
    /// The terminal itself sends Ctrl-C to every process in the foreground. In that case the signal
    /// is not forwarded, because the child would take it for a second Ctrl-C.
    pub(super) fn forward_to(self, process: u32) {
        use rustix::process::{Pid, kill_process};
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        if let Some(process) = process.filter(|_| !(self.is_sent_by_key() && is_in_foreground())) {
            // Ignore failure: the process may have exited.
            let _ = kill_process(process, self.number());
        }
    }

    /// Returns the exit code that shells use for a process terminated by the signal.
    pub(super) fn exit_code(self) -> u8 {
        u8::try_from(128 + self.number().as_raw()).unwrap_or(1)
    }

    /// Returns `true` if a key press in a terminal sends the signal.
    fn is_sent_by_key(self) -> bool {
        matches!(self, Self::Interrupt | Self::Quit)
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

    fn kind(self) -> tokio::signal::unix::SignalKind {
        use tokio::signal::unix::SignalKind as Kind;
        match self {
            Self::Interrupt => Kind::interrupt(),
            Self::Terminate => Kind::terminate(),
            Self::Hangup => Kind::hangup(),
            Self::Quit => Kind::quit(),
            Self::User1 => Kind::user_defined1(),
            Self::User2 => Kind::user_defined2(),
        }
    }
}

/// Returns `true` if this process is in the foreground process group of its terminal.
#[cfg(unix)]
fn is_in_foreground() -> bool {
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    rustix::termios::tcgetpgrp(terminal) == Ok(rustix::process::getpgrp())
}

//! The signals that ask a program to end, or to do something.

use std::io;
#[cfg(unix)]
use std::task::Poll;

/// Takes signals over from the system.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals(Vec<(Signal, tokio::signal::unix::Signal)>);

/// Takes signals over from the system.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, which Ctrl-C sends.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal was closed.
    Hangup,
    /// SIGQUIT, which Ctrl-\ sends.
    Quit,
    /// SIGUSR1.
    User1,
    /// SIGUSR2.
    User2,
}

impl Signals {
    /// Those that ask the sidecar to end.
    pub fn to_end() -> io::Result<Self> {
        Self::listen(&[Signal::Interrupt, Signal::Terminate])
    }

    /// Those that ask a program at a terminal to end, or to end what it does.
    pub(crate) fn to_cancel() -> io::Result<Self> {
        Self::listen(&[Signal::Interrupt, Signal::Terminate, Signal::Hangup, Signal::Quit])
    }

    /// All that can be passed on to another program.
    pub fn to_pass_on() -> io::Result<Self> {
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

    /// Waits for the next one.
    #[cfg(unix)]
    pub async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            let came = |(name, signal): &mut (Signal, tokio::signal::unix::Signal)| {
                signal.poll_recv(context).is_ready().then_some(*name)
            };
            self.0.iter_mut().find_map(came).map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Waits for the next one.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}

#[cfg(not(unix))]
impl Signal {
    /// What shells have on Unix for a program that Ctrl-C ended.
    pub(crate) fn exit_code(self) -> u8 {
        130
    }

    /// Ctrl-C goes to all processes of a console.
    pub(crate) fn pass_on(self, _process: u32) {}
}

#[cfg(unix)]
impl Signal {
    /// Sends it to a process that this one started; to one that has ended, it is lost.
    ///
    /// What a terminal sends, it sends to all processes in its foreground, so that the other one
    /// has it already: a second Ctrl-C would mean something else to it.
    pub(crate) fn pass_on(self, process: u32) {
        use rustix::process::{Pid, kill_process};
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        if let Some(process) = process.filter(|_| !(self.has_a_key() && is_in_foreground())) {
            let _ = kill_process(process, self.number());
        }
    }

    /// The exit status that shells have for a program that it ended.
    pub(crate) fn exit_code(self) -> u8 {
        u8::try_from(128 + self.number().as_raw()).unwrap_or(1)
    }

    fn has_a_key(self) -> bool {
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

/// Whether this process is among those that its terminal sends signals to.
#[cfg(unix)]
fn is_in_foreground() -> bool {
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    rustix::termios::tcgetpgrp(terminal) == Ok(rustix::process::getpgrp())
}

//! Listens at the addresses of sessions.

use std::{collections::BTreeMap, io, time::Duration};

use tokio::{
    sync::mpsc,
    task::{JoinError, JoinSet},
};

use super::{error::ServeError, listening::Listening, services::Services};
use crate::{
    api::{
        control::{Addresses, MAX_SESSIONS, OpenError, OpenSession, SessionName, SessionRequest},
        session::Usage,
    },
    base::{
        clock::{self, Moment},
        drain::Drain,
    },
    net::{self, Listener, Protocol, Workers},
};

/// Time without calls after which the addresses of a session are closed.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// How often idle addresses are looked for.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The addresses of all sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    listening: Listening,
    services: Services,
    workers: Workers,
    /// The drain of the program.
    drain: Drain,
    /// Time that calls in flight have to finish when addresses are closed.
    grace: Duration,
    requests: mpsc::Receiver<SessionRequest>,
    open: BTreeMap<String, Open>,
    /// The number of sessions that have been opened.
    opened: u64,
    /// Accepts connections. The results have the number of the session.
    accepting: JoinSet<Accepted>,
    /// Cuts off the calls that outlast the grace period.
    closing: JoinSet<()>,
}

/// The session that connections were accepted for, its number, and why no more are accepted.
type Accepted = (String, u64, io::Result<()>);

/// The open addresses of a session.
#[derive(Debug)]
struct Open {
    number: u64,
    addresses: Addresses,
    drain: Drain,
    usage: Usage,
    last_used: Moment,
}

impl Sessions {
    pub(super) fn new(
        listening: Listening,
        services: Services,
        workers: &Workers,
        drain: &Drain,
        grace: Duration,
        requests: mpsc::Receiver<SessionRequest>,
    ) -> Self {
        Self {
            listening,
            services,
            workers: workers.clone(),
            drain: drain.clone(),
            grace,
            requests,
            open: BTreeMap::new(),
            opened: 0,
            accepting: JoinSet::new(),
            closing: JoinSet::new(),
        }
    }

    /// Answers requests until the program drains, then waits for connections that are being opened.
    pub(super) async fn run(mut self) -> Result<(), ServeError> {
        loop {
            tokio::select! {
                Some(request) = self.requests.recv() => self.answer(request).await,
                Some(ended) = self.accepting.join_next() => self.ended(ended),
                Some(_) = self.closing.join_next() => {}
                () = clock::pause(CHECK_INTERVAL) => {}
                () = self.drain.started() => break,
            }
            self.close_idle();
        }
        self.requests.close();
        self.open.values().for_each(|open| open.drain.start());
        while self.accepting.join_next().await.is_some() {}
        Ok(())
    }

    async fn answer(&mut self, request: SessionRequest) {
        // Whoever asked may have left.
        match request {
            SessionRequest::Open(name, answer) => drop(answer.send(self.open(name).await)),
            SessionRequest::Close(name, answer) => drop(answer.send(self.close(&name))),
            SessionRequest::List(answer) => drop(answer.send(self.list())),
        }
    }

    async fn open(&mut self, session: SessionName) -> Result<Addresses, OpenError> {
        let is_serving = |open: &&Open| !open.drain.has_started();
        if let Some(open) = self.open.get(&session.name).filter(is_serving) {
            return Ok(open.addresses.clone());
        }
        if self.open.len() >= MAX_SESSIONS {
            return Err(OpenError::Full);
        }
        let number = self.opened + 1;
        let [grpc, http] = self.listening.bind_session(number).await.map_err(OpenError::Bind)?;
        self.opened = number;
        let addresses = Addresses { grpc: grpc.address.clone(), http: http.address.clone() };
        let (drain, usage) = (Drain::default(), Usage::default());
        let protocols = self.services.of_session(&drain, &session.header, &usage);
        for (listener, protocol) in [grpc, http].into_iter().zip(protocols) {
            self.accept(&session.name, listener, &protocol, &drain);
        }
        let open =
            Open { number, addresses: addresses.clone(), drain, usage, last_used: Moment::now() };
        self.open.insert(session.name, open);
        Ok(addresses)
    }

    fn accept(&mut self, session: &str, listener: Listener, protocol: &Protocol, drain: &Drain) {
        for socket in listener.sockets {
            let (session, number) = (session.to_owned(), self.opened);
            let (protocol, workers) = (protocol.clone(), self.workers.clone());
            let accepting = net::accept(socket, protocol, workers, drain.clone());
            self.accepting.spawn(async move { (session, number, accepting.await) });
        }
    }

    /// Closes addresses of which a socket no longer listens: after a call of Shutdown, or an error.
    fn ended(&mut self, ended: Result<Accepted, JoinError>) {
        // A panic is in the log.
        let Ok((session, number, result)) = ended else { return };
        if let Err(error) = result {
            tracing::warn!(%error, session, "the addresses of the session are closed");
        }
        if self.open.get(&session).is_some_and(|open| open.number == number) {
            self.close(&session);
        }
    }

    fn close(&mut self, session: &str) -> bool {
        let Some(open) = self.open.remove(session) else { return false };
        open.drain.start();
        let grace = self.grace;
        self.closing.spawn(async move {
            clock::pause(grace).await;
            open.drain.stop();
        });
        true
    }

    fn close_idle(&mut self) {
        let mut idle = Vec::new();
        for (session, open) in &mut self.open {
            if open.usage.take() {
                open.last_used = Moment::now();
            } else if open.last_used.age() > IDLE {
                idle.push(session.clone());
            }
        }
        for session in idle {
            self.close(&session);
        }
    }

    fn list(&self) -> Vec<OpenSession> {
        let open = |(session, open): (&String, &Open)| OpenSession {
            session: session.clone(),
            addresses: open.addresses.clone(),
        };
        self.open.iter().map(open).collect()
    }
}

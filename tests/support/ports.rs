//! TCP ports for programs that cannot bind port 0, and for addresses where nothing listens.

use std::{
    fs,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket},
    ops::RangeInclusive,
};

/// A port that no other test, in any process, and no outgoing connection uses. Dropping it ends the
/// reservation.
#[derive(Debug)]
pub struct ReservedPort {
    pub number: u16,
    /// The UDP socket with the same port number, which marks the port as reserved.
    _mark: UdpSocket,
}

impl ReservedPort {
    pub fn new() -> Self {
        let ephemeral = ephemeral_ports();
        // Each process starts at a different port, so that two rarely try the same one.
        let first = 10_000 + u16::try_from(std::process::id() % 5_000).unwrap();
        let ports = (first..=u16::MAX).chain(1_024..first);
        let mut ports = ports.filter(|port| !ephemeral.contains(port));
        ports.find_map(Self::reserve).expect("a port outside of the ephemeral range is free")
    }

    fn reserve(number: u16) -> Option<Self> {
        let mark = UdpSocket::bind((Ipv4Addr::LOCALHOST, number)).ok()?;
        let is_in_use = |ip: IpAddr| {
            let listener = TcpListener::bind((ip, number));
            listener.is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
        };
        let addresses = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        (!addresses.into_iter().any(is_in_use)).then_some(Self { number, _mark: mark })
    }
}

/// Returns the ports that the system assigns to outgoing connections and to port 0.
fn ephemeral_ports() -> RangeInclusive<u16> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let mut ends = range.split_whitespace().map_while(|end| end.parse().ok());
    // Other systems use the range that IANA recommends.
    ends.next().unwrap_or(49_152)..=ends.next().unwrap_or(u16::MAX)
}

#[test]
fn reserved_ports_are_distinct_and_free() {
    let reserved: Vec<_> = (0..20).map(|_| ReservedPort::new()).collect();
    let mut numbers: Vec<_> = reserved.iter().map(|port| port.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), reserved.len());
    let ephemeral = ephemeral_ports();
    assert!(!numbers.iter().any(|number| ephemeral.contains(number)), "{numbers:?}");
    for number in numbers {
        TcpListener::bind((Ipv4Addr::LOCALHOST, number)).unwrap();
    }
}

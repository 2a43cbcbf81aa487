//! The addresses that the tools of a file may connect to.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
};

use http::Uri;
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::Deserialize;

const LOCALHOST: &str = "localhost";

/// An address: `host:port`, `ip:port` or `cidr:port`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = r"^.+:[0-9]{1,5}$"))]
pub struct Allowed {
    hosts: Hosts,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    /// A name in lower case.
    Name(String),
    Net(IpNet),
}

/// All addresses that a tool may connect to.
#[derive(Debug, Clone)]
pub(super) struct AllowList(Vec<Allowed>);

impl TryFrom<String> for Allowed {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parse = || {
            let (host, port) = text.rsplit_once(':')?;
            let port = port.parse().ok().filter(|port| *port != 0)?;
            Some(Self { hosts: Hosts::parse(host)?, port })
        };
        parse().ok_or_else(|| {
            let expected =
                "host:port, ip:port or cidr:port, such as localhost:8080 or 10.0.0.0/8:80";
            format!("{text:?} is not an address; expected {expected}")
        })
    }
}

impl Hosts {
    fn parse(text: &str) -> Option<Self> {
        let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let text = bracketed.unwrap_or(text);
        if let Ok(net) = text.parse() {
            return Some(Self::Net(net));
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self::Net(address.into()));
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_valid = !text.is_empty() && text.bytes().all(is_name);
        is_valid.then(|| Self::Name(text.to_ascii_lowercase()))
    }
}

impl AllowList {
    pub(super) fn new(entries: Vec<Allowed>) -> Self {
        Self(entries)
    }

    /// Allows only the host and port of a URL.
    pub(super) fn only(url: &Uri) -> Option<Self> {
        let hosts = Hosts::parse(url.host()?)?;
        Some(Self(vec![Allowed { hosts, port: port(url)? }]))
    }

    /// Returns `true` if a host and port may be dialled at an address. `host` is from the URL. A listed
    /// name may stand for public addresses only, so that its owner cannot point it at this network.
    pub(super) fn allows(&self, host: &str, address: SocketAddr) -> bool {
        let (ip, host) = (address.ip().to_canonical(), host.to_ascii_lowercase());
        let is_local = host == LOCALHOST && ip.is_loopback();
        self.0.iter().filter(|allowed| allowed.port == address.port()).any(|allowed| match &allowed
            .hosts
        {
            Hosts::Net(net) => net.contains(&ip),
            Hosts::Name(name) => *name == host && (is_local || is_public(ip)),
        })
    }
}

impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&entries.join(", "))
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Hosts::Name(name) => write!(f, "{name}:{}", self.port),
            Hosts::Net(net) if net.prefix_len() == net.max_prefix_len() => {
                write!(f, "{}", SocketAddr::new(net.addr(), self.port))
            }
            Hosts::Net(net) => write!(f, "{net}:{}", self.port),
        }
    }
}

/// Returns the port that a URL names or implies.
pub(super) fn port(url: &Uri) -> Option<u16> {
    url.port_u16().or(match url.scheme_str()? {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    })
}

/// Returns `true` unless an address belongs to a network of its own or has a special purpose.
///
/// Source: the registries of RFC 6890.
fn is_public(ip: IpAddr) -> bool {
    const SPECIAL: [&str; 19] = [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/127",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    ];
    let is_in = |net: &str| net.parse::<IpNet>().is_ok_and(|net| net.contains(&ip));
    !SPECIAL.into_iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> AllowList {
        AllowList::new(entries.iter().map(|it| (*it).to_owned().try_into().unwrap()).collect())
    }

    #[test]
    fn names_stand_for_public_addresses() {
        let list = list(&[
            "localhost:80",
            "example.com:443",
            "10.1.0.0/16:80",
            "[::1]:81",
            "192.168.0.1:80",
        ]);
        let cases = [
            ("localhost", "127.0.0.1:80", true),
            ("LOCALHOST", "[::1]:80", true),
            ("localhost", "10.0.0.1:80", false),
            ("localhost", "127.0.0.1:81", false),
            ("example.com", "93.184.216.34:443", true),
            ("Example.com", "93.184.216.34:443", true),
            ("example.com", "93.184.216.34:80", false),
            ("example.com", "127.0.0.1:443", false),
            ("example.com", "169.254.169.254:443", false),
            ("example.com", "[::ffff:10.0.0.1]:443", false),
            ("example.com", "[fe80::1]:443", false),
            ("example.org", "93.184.216.34:443", false),
            ("anything", "10.1.2.3:80", true),
            ("anything", "[::ffff:10.1.2.3]:80", true),
            ("anything", "10.2.2.3:80", false),
            ("[::1]", "[::1]:81", true),
            ("127.0.0.1", "127.0.0.1:80", false),
            ("192.168.0.1", "192.168.0.1:80", true),
        ];
        for (host, address, expected) in cases {
            assert_eq!(list.allows(host, address.parse().unwrap()), expected, "{host} {address}");
        }
    }

    #[test]
    fn entries_are_shown_as_written() {
        let entries = ["localhost:80", "10.1.0.0/16:80", "[::1]:81", "127.0.0.1:8080"];
        assert_eq!(list(&entries).to_string(), entries.join(", "));
    }

    #[test]
    fn invalid_entries_are_rejected() {
        for text in
            ["", "localhost", "localhost:0", "localhost:99999", "a b:80", ":80", "http://a:80"]
        {
            assert!(Allowed::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}

//! The proxy that the environment names.

use std::net::IpAddr;

use http::{HeaderValue, Uri, uri::Scheme};
use hyper_util::client::proxy::matcher::Matcher;
use mynah_core::base::environment::Environment;

use super::allow::port;

/// A proxy of HTTP.
#[derive(Debug, Clone)]
pub(super) struct Proxy {
    /// Its URL, without a password.
    pub(super) url: Uri,
    /// The header with the password. `Debug` does not show it.
    pub(super) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Returns the proxy for requests to a URL, as Go's programs do: there is none for this machine.
    ///
    /// # Errors
    ///
    /// Fails with a message if the variable does not name a proxy of HTTP. The message does not show the
    /// value, which may have a password.
    pub(super) fn from_environment(
        url: &Uri,
        environment: &Environment,
    ) -> Result<Option<Self>, String> {
        let names = match url.scheme() == Some(&Scheme::HTTPS) {
            true => ["HTTPS_PROXY", "https_proxy"],
            false => ["HTTP_PROXY", "http_proxy"],
        };
        let Some((name, value)) = set(names, environment) else { return Ok(None) };
        if is_local(url) || is_excluded(url, environment) {
            return Ok(None);
        }
        let matcher = Matcher::builder().all(value.to_owned()).build();
        let found = matcher.intercept(url).filter(|it| it.uri().scheme() == Some(&Scheme::HTTP));
        let proxy = found.ok_or_else(|| {
            format!("{name} is not the URL of a proxy, such as http://proxy.example:3128")
        })?;
        let authorization = proxy.basic_auth().cloned();
        Ok(Some(Self { url: proxy.uri().clone(), authorization }))
    }
}

/// Returns the first of the variables that is set.
fn set<'e>(
    names: [&'static str; 2],
    environment: &'e Environment,
) -> Option<(&'static str, &'e str)> {
    let value = |name| Some((name, environment.get(name).filter(|value| !value.is_empty())?));
    names.into_iter().find_map(value)
}

fn is_local(url: &Uri) -> bool {
    let host = url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

/// Returns `true` if `NO_PROXY` lists the host of a URL. An entry may have a port.
fn is_excluded(url: &Uri, environment: &Environment) -> bool {
    let Some((_, list)) = set(["NO_PROXY", "no_proxy"], environment) else { return false };
    let host = |entry: &str| {
        let entry = entry.trim();
        // An IPv6 address without brackets has no port.
        let split =
            entry.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
        let (host, entry_port) =
            split.map_or((entry, None), |(host, port)| (host, port.parse().ok()));
        let is_meant = entry_port.is_none() || entry_port == port(url);
        is_meant.then(|| host.trim_start_matches("*.").trim_matches(['[', ']']).to_owned())
    };
    let hosts: Vec<String> = list.split(',').filter_map(host).collect();
    let matcher = Matcher::builder().all("http://proxy.invalid").no(hosts.join(",")).build();
    matcher.intercept(url).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(url: &'static str, variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment = variables.iter().copied().collect();
        let proxy = Proxy::from_environment(&Uri::from_static(url), &environment)?;
        Ok(proxy.map(|proxy| proxy.url.to_string()))
    }

    #[test]
    fn the_scheme_and_the_host_choose_the_proxy() {
        let both = [("HTTP_PROXY", "http://a:1"), ("https_proxy", "user:word@b:2")];
        assert_eq!(
            proxy("http://model.example/v1", &both).unwrap().as_deref(),
            Some("http://a:1/")
        );
        assert_eq!(
            proxy("https://model.example/v1", &both).unwrap().as_deref(),
            Some("http://b:2/")
        );
        for local in ["http://localhost:80/", "http://127.0.0.2/", "http://[::1]:9/"] {
            assert_eq!(proxy(local, &both).unwrap(), None, "{local}");
        }
        assert_eq!(proxy("http://model.example/v1", &both[1..]).unwrap(), None);
    }

    #[test]
    fn lists_of_hosts_exclude_them() {
        let cases = [
            ("model.example", true),
            (".example", true),
            ("*.example", true),
            ("*", true),
            ("other, model.example:8080", true),
            ("model.example:80", false),
            ("del.example", false),
            ("10.0.0.0/8", false),
            ("", false),
        ];
        for (list, is_excluded) in cases {
            let variables = [("HTTP_PROXY", "http://a:1"), ("NO_PROXY", list)];
            let proxy = proxy("http://model.example:8080/v1", &variables).unwrap();
            assert_eq!(proxy.is_none(), is_excluded, "{list}");
        }
        let variables = [("HTTP_PROXY", "http://a:1"), ("no_proxy", "10.0.0.0/8,[fd00::1]:8080")];
        assert_eq!(proxy("http://10.1.2.3:8080/v1", &variables).unwrap(), None);
        assert_eq!(proxy("http://[fd00::1]:8080/v1", &variables).unwrap(), None);
    }

    #[test]
    fn other_proxies_are_errors_without_their_password() {
        for value in ["socks5://u:planted@a:1", "https://u:planted@a:1", "ftp://planted:1", "a b"] {
            let error = proxy("http://model.example", &[("HTTP_PROXY", value)]).unwrap_err();
            assert!(
                error.starts_with("HTTP_PROXY is not") && !error.contains("planted"),
                "{error}"
            );
        }
    }
}

//! Where a base URL points: this machine, the local network or the world.

/// How far away a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// This machine: browsers let an https page call it over http.
    Loopback,
    /// The local network.
    Local,
    /// Everything else.
    Public,
}

/// The parts of a base URL that decide what a browser allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address<'a> {
    pub(super) is_https: bool,
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) reach: Reach,
}

impl<'a> Address<'a> {
    /// `None` unless it is an absolute http(s) URL with a host.
    pub(super) fn parse(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next()?;
        let authority = authority.rsplit('@').next()?;
        let (host, port) = match authority.strip_prefix('[') {
            Some(ipv6) => {
                let (host, after) = ipv6.split_once(']')?;
                (host, after.strip_prefix(':'))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() || host.contains(char::is_whitespace) {
            return None;
        }
        let port = match port {
            Some(port) => port.parse().ok()?,
            None if is_https => 443,
            None => 80,
        };
        Some(Self { is_https, host, port, reach: reach(host) })
    }

    /// `scheme://host:port`, without a default port.
    pub(super) fn origin(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.to_owned() };
        match (self.is_https, self.port) {
            (true, 443) | (false, 80) => format!("{scheme}://{host}"),
            (_, port) => format!("{scheme}://{host}:{port}"),
        }
    }
}

fn reach(host: &str) -> Reach {
    let host = host.to_ascii_lowercase();
    if host == "localhost" || host.ends_with(".localhost") || host == "::1" {
        return Reach::Loopback;
    }
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return if address.is_loopback() {
            Reach::Loopback
        } else if address.is_private() || address.is_link_local() || address.is_unspecified() {
            Reach::Local
        } else {
            Reach::Public
        };
    }
    if let Ok(address) = host.parse::<std::net::Ipv6Addr>() {
        let is_local = address.is_unique_local() || address.is_unicast_link_local() || address.is_unspecified();
        return if is_local { Reach::Local } else { Reach::Public };
    }
    // A name without a dot, or in a zone that only a local network answers for.
    let is_local =
        !host.contains('.') || [".local", ".lan", ".home.arpa", ".internal"].iter().any(|zone| host.ends_with(zone));
    if is_local { Reach::Local } else { Reach::Public }
}

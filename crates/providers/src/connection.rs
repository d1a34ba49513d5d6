//! Why a request to a model server failed, when all that the browser says is "Failed to fetch" (case g10).
//!
//! A refused connection, a missing CORS header, mixed content and a denied permission read the same to a script. What can
//! be told apart is told from the facts around the failure; what remains is a list of causes with the exact fix of each.
//! Pure data in, pure data out: gathering the facts is the caller's part.

mod address;

use address::{Address, Reach};

/// Whether the browser lets this page reach the local network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// The browser has no such permission, or it could not be asked for.
    #[default]
    Unknown,
    /// It will ask the reader.
    Prompt,
    /// The reader refused.
    Denied,
    /// The reader agreed.
    Granted,
}

/// The facts around one failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt<'a> {
    /// `location.origin`, which a server must allow; `null` for a page opened from a file.
    pub page_origin: &'a str,
    /// Where the model server should be.
    pub base_url: &'a str,
    /// `navigator.onLine`.
    pub online: bool,
    /// The directive that a `securitypolicyviolation` event named for this request, if there was one.
    pub csp_violation: Option<&'a str>,
    /// The failure in the browser's words.
    pub error: &'a str,
    /// What is known of the local-network permission.
    pub local_network: Permission,
}

/// The one thing to say first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The base URL is not an http(s) URL.
    BadUrl,
    /// The page's own Content-Security-Policy stopped it.
    BlockedByPolicy,
    /// There is no network.
    Offline,
    /// An https page may not call this http address.
    MixedContent,
    /// The reader, or the browser's settings, denied access to the local network.
    LocalNetworkDenied,
    /// The server is not running, or does not allow this page: a browser does not say which.
    DownOrCors,
}

impl Verdict {
    /// The word for it in a connection report, which `vitrine.d.ts` promises to host pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadUrl => "invalid-url",
            Self::BlockedByPolicy => "csp",
            Self::Offline => "offline",
            Self::MixedContent => "mixed-content",
            Self::LocalNetworkDenied => "loopback",
            Self::DownOrCors => "cors",
        }
    }
}

/// Something that may be the cause, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What may be wrong, in one sentence.
    pub what: String,
    /// What to do, in one sentence.
    pub fix: String,
    /// A command or a setting to copy; empty if there is none.
    pub command: String,
}

/// What to tell the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The one thing to say first.
    pub verdict: Verdict,
    /// That thing in one sentence.
    pub summary: String,
    /// What may be the cause, likeliest first; never empty.
    pub causes: Vec<Cause>,
}

impl Diagnosis {
    /// Everything as plain text, a paragraph a cause.
    pub fn text(&self) -> String {
        let mut text = self.summary.clone();
        for cause in &self.causes {
            text.push_str("\n\n");
            text.push_str(&cause.what);
            text.push(' ');
            text.push_str(&cause.fix);
            if !cause.command.is_empty() {
                text.push_str("\n    ");
                text.push_str(&cause.command);
            }
        }
        text
    }
}

/// Finds the likeliest cause. Trying again is pointless before one of the fixes is made, except for `Offline`.
pub fn diagnose(attempt: &Attempt<'_>) -> Diagnosis {
    let Some(address) = Address::parse(attempt.base_url) else {
        return one(
            Verdict::BadUrl,
            format!("\"{}\" is not the address of a model server.", attempt.base_url),
            cause("The base URL must be absolute.", "Write it like this.", "http://localhost:11434/v1"),
        );
    };
    let target = address.origin();
    if let Some(directive) = attempt.csp_violation {
        return one(
            Verdict::BlockedByPolicy,
            format!("This page's own Content-Security-Policy does not let it call {target}."),
            cause(
                &format!("The policy's {directive} does not list the server."),
                "Whoever serves this page must add the server to it.",
                &format!("connect-src 'self' {target}"),
            ),
        );
    }
    if !attempt.online && address.reach != Reach::Loopback {
        return one(
            Verdict::Offline,
            format!("The browser is offline, so {target} cannot be reached."),
            cause(
                "There is no network connection.",
                "Reconnect and try again; a server on this machine works offline.",
                "",
            ),
        );
    }
    let page_is_https = attempt.page_origin.starts_with("https://");
    if page_is_https && !address.is_https && address.reach != Reach::Loopback {
        return one(
            Verdict::MixedContent,
            format!("A page served over https may not call {target}, which is plain http."),
            cause(
                "Browsers block mixed content before any request is sent.",
                "Serve the model over https, run it on this machine, or open this page over http.",
                &format!("http://localhost:{}", address.port),
            ),
        );
    }
    if attempt.local_network == Permission::Denied && address.reach != Reach::Public {
        return one(
            Verdict::LocalNetworkDenied,
            format!("The browser does not let this page reach {target} on your local network."),
            cause(
                "The permission \"local network access\" is denied for this page.",
                "Open the site settings in the address bar, allow local network access, and reload.",
                "",
            ),
        );
    }
    Diagnosis {
        verdict: Verdict::DownOrCors,
        summary: format!(
            "{target} did not answer this page{}. Either nothing is running there, or the server does not allow {}.",
            if attempt.error.is_empty() { String::new() } else { format!(" ({})", attempt.error) },
            attempt.page_origin
        ),
        causes: down_or_cors(attempt, &address),
    }
}

fn down_or_cors(attempt: &Attempt<'_>, address: &Address<'_>) -> Vec<Cause> {
    let origin = attempt.page_origin;
    let mut causes = Vec::new();
    if attempt.local_network == Permission::Prompt && address.reach != Reach::Public {
        causes.push(cause(
            "The browser asks before a page may reach the local network.",
            "Answer its question with Allow, then try again.",
            "",
        ));
    }
    if address.reach == Reach::Public {
        causes.push(cause(
            "The provider does not answer pages directly, or a firewall is in the way.",
            "Use a provider that allows browsers, or a proxy of your own that sends this header.",
            &format!("Access-Control-Allow-Origin: {origin}"),
        ));
        return causes;
    }
    let ollama = cause(
        "Ollama answers only the pages it was told of.",
        "Quit it and start it again like this.",
        &format!("OLLAMA_ORIGINS={origin} ollama serve"),
    );
    let lm_studio = cause(
        "LM Studio's server has CORS switched off.",
        "Switch on \"Enable CORS\" in its server settings, or start it like this.",
        "lms server start --cors",
    );
    let llama_cpp = cause(
        "llama.cpp's server allows every page, so it is probably not running on this port.",
        "Start it like this.",
        &format!("llama-server -m model.gguf --port {}", address.port),
    );
    let vllm = cause(
        "vLLM answers only the pages it was told of.",
        "Start it with this option.",
        &format!("--allowed-origins '[\"{origin}\"]'"),
    );
    let other = cause(
        "Any other server must allow this page by name.",
        "Have it answer OPTIONS and POST with this header, and allow the headers authorization and content-type.",
        &format!("Access-Control-Allow-Origin: {origin}"),
    );
    match address.port {
        11434 => causes.extend([ollama, other]),
        1234 => causes.extend([lm_studio, other]),
        8080 => causes.extend([llama_cpp, other]),
        8000 => causes.extend([vllm, other]),
        _ => causes.extend([ollama, lm_studio, llama_cpp, vllm, other]),
    }
    causes
}

fn one(verdict: Verdict, summary: String, cause: Cause) -> Diagnosis {
    Diagnosis { verdict, summary, causes: vec![cause] }
}

fn cause(what: &str, fix: &str, command: &str) -> Cause {
    Cause { what: what.to_owned(), fix: fix.to_owned(), command: command.to_owned() }
}

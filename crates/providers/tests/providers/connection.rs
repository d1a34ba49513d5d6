//! Diagnoses of a failed connection: the decision table, a row a line (case g10).

use vitrine_providers::connection::{Attempt, Diagnosis, Permission, Verdict, diagnose};

const PAGE: &str = "https://app.example";

fn attempt(base_url: &str) -> Attempt<'_> {
    Attempt {
        page_origin: PAGE,
        base_url,
        online: true,
        csp_violation: None,
        error: "TypeError: Failed to fetch",
        local_network: Permission::Unknown,
    }
}

fn commands(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.causes.iter().map(|cause| cause.command.as_str()).collect()
}

#[test]
fn g10_a_local_ollama_gets_the_exact_command() {
    let diagnosis = diagnose(&attempt("http://127.0.0.1:11434/v1"));
    assert_eq!(diagnosis.verdict, Verdict::DownOrCors);
    assert_eq!(diagnosis.causes[0].command, "OLLAMA_ORIGINS=https://app.example ollama serve");
    let text = diagnosis.text();
    for part in ["OLLAMA_ORIGINS", PAGE, "http://127.0.0.1:11434", "Failed to fetch"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn each_server_gets_its_own_fix() {
    let first = |url| diagnose(&attempt(url)).causes[0].command.clone();
    assert_eq!(first("http://localhost:1234/v1"), "lms server start --cors");
    assert_eq!(first("http://[::1]:8080"), "llama-server -m model.gguf --port 8080");
    assert_eq!(first("http://localhost:8000/v1"), "--allowed-origins '[\"https://app.example\"]'");
    let unknown = diagnose(&attempt("http://localhost:5000"));
    assert_eq!(unknown.causes.len(), 5, "all of them where the port tells nothing");
    assert_eq!(commands(&unknown)[4], "Access-Control-Allow-Origin: https://app.example");
    assert_eq!(
        commands(&diagnose(&attempt("https://api.example/v1"))),
        ["Access-Control-Allow-Origin: https://app.example"]
    );
}

/// A host page switches on these words: each is one that the types promise.
#[test]
fn each_verdict_has_its_promised_word() {
    let types = include_str!("../../../../www/vitrine.d.ts");
    let promised = types.lines().find_map(|line| line.trim().strip_prefix("verdict: ")).unwrap();
    let promised: Vec<&str> = promised.trim_end_matches(';').split(" | ").map(|word| word.trim_matches('"')).collect();
    let verdicts = [
        Verdict::Offline,
        Verdict::MixedContent,
        Verdict::BlockedByPolicy,
        Verdict::LocalNetworkDenied,
        Verdict::DownOrCors,
        Verdict::BadUrl,
    ];
    let answered = ["ok", "status", "not-a-model-server"];
    let unanswered: Vec<&str> = promised.into_iter().filter(|word| !answered.contains(word)).collect();
    assert_eq!(verdicts.map(Verdict::as_str).as_slice(), unanswered);
}

#[test]
fn the_facts_decide_in_this_order() {
    let verdict = |change: fn(&mut Attempt<'_>), url: &'static str| {
        let mut attempt = attempt(url);
        change(&mut attempt);
        diagnose(&attempt).verdict
    };
    let (local, lan, world) = ("http://127.0.0.1:11434/v1", "http://192.168.1.5:11434", "https://api.example");
    for bad in ["localhost:11434", "ftp://h", "http://", "", "http://h:port", "http://h h"] {
        assert_eq!(verdict(|_| {}, bad), Verdict::BadUrl, "{bad}");
    }
    assert_eq!(verdict(|a| a.csp_violation = Some("connect-src"), local), Verdict::BlockedByPolicy);
    assert_eq!(verdict(|a| a.online = false, world), Verdict::Offline);
    assert_eq!(verdict(|a| a.online = false, local), Verdict::DownOrCors, "a server on this machine needs no network");
    assert_eq!(verdict(|_| {}, lan), Verdict::MixedContent);
    assert_eq!(verdict(|_| {}, "http://api.example"), Verdict::MixedContent);
    assert_eq!(verdict(|_| {}, local), Verdict::DownOrCors, "loopback is not mixed content");
    assert_eq!(verdict(|a| a.page_origin = "http://localhost:8787", lan), Verdict::DownOrCors);
    assert_eq!(verdict(|a| a.local_network = Permission::Denied, local), Verdict::LocalNetworkDenied);
    assert_eq!(verdict(|a| a.local_network = Permission::Denied, world), Verdict::DownOrCors);
}

#[test]
fn a_prompt_is_the_first_thing_to_answer() {
    let diagnosis = diagnose(&Attempt { local_network: Permission::Prompt, ..attempt("http://127.0.0.1:11434/v1") });
    assert!(diagnosis.causes[0].fix.contains("Allow"), "{diagnosis:?}");
    assert_eq!(diagnosis.causes.len(), 3);
}

#[test]
fn the_policy_to_add_is_spelled_out() {
    let diagnosis =
        diagnose(&Attempt { csp_violation: Some("connect-src"), ..attempt("https://u:p@api.example:8443/v1?x#y") });
    assert_eq!(commands(&diagnosis), ["connect-src 'self' https://api.example:8443"]);
    assert!(!diagnosis.text().contains("u:p"));
}

//! [`Policy`]: which calls may run, which are asked about and which may not. A pure judgement; who asks is the worker.

use serde::{Deserialize, Serialize};
use vitrine_agent::gate::glob;
use vitrine_agent::json::Json;

/// Tools that change nothing.
const READING: [&str; 4] = ["read", "grep", "find", "ls"];
/// Tools that change one file, which can be shown beforehand and undone.
const EDITING: [&str; 2] = ["write", "edit"];
/// Rules that are kept; more are refused.
pub const MAX_RULES: usize = 200;

/// How much the host lets a model do by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyMode {
    /// Every call runs.
    #[default]
    Auto,
    /// Calls that change something are asked about.
    Ask,
    /// Files may be changed; commands and everything else are asked about.
    Edits,
    /// Tools that change something are not offered to the model.
    ReadOnly,
}

/// The mode, and what goes before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// For calls that no rule is about.
    pub mode: PolicyMode,
    /// The first that a call fits decides.
    #[serde(default)]
    pub rules: Vec<PolicyRule>,
}

/// One exception. Every field that is given must fit.
///
/// It holds a model to what was said, and nobody who wants round it: a command has many spellings, and a search reads what its path
/// leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRule {
    /// The tool.
    pub tool: String,
    /// A glob over the path, from the root of the workspace, that the call is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The words that a command begins with. What is chained to it is another command: only one alone is allowed by them, and any
    /// of several is denied or asked about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// What becomes of the call.
    pub decision: RuleDecision,
    /// What the model reads where it is denied.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleDecision {
    /// It runs.
    Allow,
    /// It does not.
    Deny,
    /// A person is asked.
    Ask,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not run, and the model reads why, if that is said.
    Deny(Option<&'a str>),
}

/// What a call is about, as far as rules look at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The path that it leads to, from the root of the workspace, whatever way it was written. None where it leads to none.
    pub path: Option<&'a str>,
    /// The command.
    pub command: Option<&'a str>,
}

impl Policy {
    /// What becomes of a call of a tool about this.
    pub fn judge(&self, tool: &str, about: About<'_>) -> Verdict<'_> {
        let rule = self.rules.iter().find(|rule| rule.fits(tool, about));
        if let Some(rule) = rule {
            return match rule.decision {
                RuleDecision::Allow => Verdict::Allow,
                RuleDecision::Ask => Verdict::Ask,
                RuleDecision::Deny => Verdict::Deny(rule.reason.as_deref()),
            };
        }
        let changes = !READING.contains(&tool);
        match self.mode {
            PolicyMode::Auto => Verdict::Allow,
            PolicyMode::Ask if changes => Verdict::Ask,
            PolicyMode::Edits if changes && !EDITING.contains(&tool) => Verdict::Ask,
            // It was not offered; a model that asks for it all the same is told so by a rule of the loop.
            PolicyMode::ReadOnly if changes => Verdict::Deny(None),
            PolicyMode::Ask | PolicyMode::Edits | PolicyMode::ReadOnly => Verdict::Allow,
        }
    }

    /// Whether the model is told of a tool at all.
    pub fn offers(&self, tool: &str) -> bool {
        self.mode != PolicyMode::ReadOnly || READING.contains(&tool)
    }

    /// Lets a tool run from here on without asking. It goes before all other rules.
    pub fn allow(&mut self, tool: &str) {
        let rule = PolicyRule {
            tool: tool.to_owned(),
            path: None,
            command: None,
            decision: RuleDecision::Allow,
            reason: None,
        };
        if self.rules.first() != Some(&rule) && self.rules.len() < MAX_RULES {
            self.rules.insert(0, rule);
        }
    }
}

impl PolicyRule {
    fn fits(&self, tool: &str, about: About<'_>) -> bool {
        let fits_path = |wanted: &str| about.path.is_some_and(|path| glob::matches(wanted, path));
        let fits_command = |words: &str| about.command.is_some_and(|command| self.fits_command(command, words));
        self.tool == tool
            && self.path.as_deref().is_none_or(fits_path)
            && self.command.as_deref().is_none_or(fits_command)
    }

    fn fits_command(&self, command: &str, words: &str) -> bool {
        let mut commands = command.split(CHAINS);
        match self.decision {
            RuleDecision::Allow => !command.contains(CHAINS) && begins(command, words),
            RuleDecision::Deny | RuleDecision::Ask => commands.any(|command| begins(command, words)),
        }
    }
}

/// What ends one command and begins another, or leads one somewhere else.
const CHAINS: [char; 11] = ['\n', ';', '|', '&', '`', '>', '<', '(', ')', '{', '}'];

/// Whether a command begins with these words.
fn begins(command: &str, words: &str) -> bool {
    let rest = command.trim_start().strip_prefix(words.trim());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Calls of one response that a person is asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Its number.
    pub id: u64,
    /// The calls, in the order of the response.
    pub calls: Vec<ApprovalCall>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalCall {
    /// The call.
    pub call_id: String,
    /// Its tool.
    pub tool: String,
    /// Its arguments, checked.
    pub args: Json,
    /// What it would do.
    pub effect: Effect,
    /// The run waits for this one now; those after it are asked about in their turn, and may be decided before.
    pub asked: bool,
    /// What was decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<DecisionKind>,
}

/// What a call would do, from the tool itself and never from the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// It changes a file.
    Diff {
        /// Which.
        path: String,
        /// How, as a unified diff; empty if it is too large or no text.
        patch: String,
        /// Lines that come.
        added: usize,
        /// Lines that go.
        removed: usize,
    },
    /// It runs a command.
    Command {
        /// Which.
        command: String,
    },
    /// It would fail.
    Fails {
        /// With these words.
        message: String,
    },
    /// Nothing is known but its arguments.
    Call,
}

/// What a person decides of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The call.
    pub call_id: String,
    /// What becomes of it.
    pub decision: DecisionKind,
    /// What the model reads where it is denied.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Other arguments for it, to be checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub args: Option<Json>,
}

/// What becomes of a call that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionKind {
    /// It runs.
    Allow,
    /// It runs, and so do later ones of its tool in this session.
    AllowSession,
    /// It does not run.
    Deny,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(mode: PolicyMode) -> String {
        let policy = Policy { mode, rules: Vec::new() };
        let tools = ["read", "grep", "find", "ls", "write", "edit", "bash", "mine"];
        let word = |tool| match policy.judge(tool, About::default()) {
            Verdict::Allow => "+",
            Verdict::Ask => "?",
            Verdict::Deny(_) => "-",
        };
        let offered = tools.iter().filter(|tool| policy.offers(tool)).count();
        format!("{} {offered}", tools.map(word).concat())
    }

    #[test]
    fn a_mode_says_what_becomes_of_reading_editing_commands_and_all_else() {
        let modes = [PolicyMode::Auto, PolicyMode::Ask, PolicyMode::Edits, PolicyMode::ReadOnly];
        assert_eq!(modes.map(verdicts), ["++++++++ 8", "++++???? 8", "++++++?? 8", "++++---- 4"]);
    }

    #[test]
    fn the_first_rule_that_a_call_fits_decides() {
        let policy: Policy = serde_json::from_value(serde_json::json!({"mode": "ask", "rules": [
            {"tool": "edit", "path": "src/**", "decision": "allow"},
            {"tool": "edit", "path": "*.lock", "decision": "deny", "reason": "generated"},
            {"tool": "bash", "command": "git status", "decision": "allow"},
            {"tool": "read", "path": "secret/**", "decision": "ask"},
            {"tool": "bash", "command": "rm", "decision": "deny"},
        ]}))
        .expect("a policy");
        let judge = |tool, about| match policy.judge(tool, about) {
            Verdict::Allow => "allow".to_owned(),
            Verdict::Ask => "ask".to_owned(),
            Verdict::Deny(reason) => format!("deny {reason:?}"),
        };
        let path = |path| About { path: Some(path), ..About::default() };
        let command = |command| About { command: Some(command), ..About::default() };
        assert_eq!(judge("edit", path("src/a.ts")), "allow");
        assert_eq!(judge("edit", path("src/x.lock")), "allow");
        assert_eq!(judge("edit", path("x.lock")), "deny Some(\"generated\")");
        assert_eq!(judge("edit", path("README.md")), "ask");
        assert_eq!(judge("read", path("secret/key")), "ask");
        assert_eq!(judge("read", path("open")), "allow");
        assert_eq!(judge("bash", command("git status")), "allow");
        assert_eq!(judge("bash", command("git status -s")), "allow");
        assert_eq!(judge("edit", About::default()), "ask", "a path that leads nowhere fits no rule");
        // What was denied is denied wherever it stands in a chain; what was allowed only alone.
        for denied in [
            "rm a",
            "rm a; true",
            "true; rm a",
            "true && rm a > b",
            "echo $(rm a)",
            "(rm a)",
            "{ rm a; }",
            "git status; rm a",
        ] {
            assert_eq!(judge("bash", command(denied)), "deny None", "{denied}");
        }
        assert_eq!(judge("bash", command("rmdir a")), "ask");
        for chained in ["git statusx", "git status; ls", "git status && ls", "git status > a", "git status $(ls)"] {
            assert_eq!(judge("bash", command(chained)), "ask", "{chained}");
        }
    }

    #[test]
    fn what_is_allowed_for_the_session_is_a_rule_before_the_others_once() {
        let mut policy: Policy = serde_json::from_value(serde_json::json!({"mode": "ask", "rules": [
            {"tool": "bash", "decision": "deny"},
        ]}))
        .expect("a policy");
        policy.allow("bash");
        policy.allow("bash");
        assert_eq!(policy.rules.len(), 2);
        assert_eq!(policy.judge("bash", About::default()), Verdict::Allow);
    }
}

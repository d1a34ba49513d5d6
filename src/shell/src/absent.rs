//! What a shell has elsewhere and this one has not: each name answers with a sentence that says what to use instead.

use async_trait::async_trait;
use bashkit::{Builtin, BuiltinContext, ExecResult, Result};

/// Programs, and what is said of them.
const ABSENT: &[(&[&str], &str)] = &[
    (
        &["curl", "wget", "ping", "nc", "ssh", "scp", "rsync", "ftp", "telnet", "dig", "nslookup", "http"],
        "there is no network in this shell; work with the files in the workspace, or ask the user to add what you need",
    ),
    (
        &["git", "gh", "svn", "hg"],
        "there is no version control in this shell; the workspace keeps its own history, which the user can undo, and `diff` compares two files",
    ),
    (
        &["node", "deno", "bun", "npm", "npx", "yarn", "pnpm", "tsc"],
        "JavaScript cannot be run in this shell; change the files with the edit and write tools, and let the user open an HTML page in the preview",
    ),
    (
        &[
            "python", "python3", "pip", "pip3", "ruby", "perl", "php", "lua", "java", "go", "rustc", "cargo", "gcc",
            "g++", "cc", "clang", "cmake", "make",
        ],
        "no other language can be run in this shell; use awk, sed, sort and the rest of the shell for data, and the edit and write tools for files",
    ),
    (
        &["sudo", "su", "doas", "chroot", "mount", "umount"],
        "there are no other users in this shell; run the command without it",
    ),
    (
        &["apt", "apt-get", "yum", "dnf", "apk", "brew", "snap", "docker", "podman", "systemctl", "service"],
        "nothing can be installed or started in this shell; use the commands that `help` lists",
    ),
    (
        &[
            "ps", "top", "htop", "pgrep", "pkill", "killall", "lsof", "strace", "nohup", "screen", "tmux", "crontab",
            "at",
        ],
        "there are no processes in this shell; commands run one after another, and each ends before the tool returns",
    ),
    (&["ln", "link"], "there are no links in the workspace; copy a file with `cp`, or give it another name with `mv`"),
    (
        &["vi", "vim", "nano", "emacs", "less", "more", "man", "open", "xdg-open", "code"],
        "nobody is at a terminal here; use the read tool or `cat` to look at a file, and the edit or write tool to change it",
    ),
];

/// Each name, and its answer.
pub fn commands() -> impl Iterator<Item = (&'static str, Absent)> {
    ABSENT.iter().flat_map(|(names, advice)| names.iter().map(|name| (*name, Absent { name, advice })))
}

/// A command that says why it is none.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    name: &'static str,
    advice: &'static str,
}

#[async_trait]
impl Builtin for Absent {
    async fn execute(&self, _: BuiltinContext<'_>) -> Result<ExecResult> {
        Ok(ExecResult::err(format!("bash: {}: not available: {}\n", self.name, self.advice), 127))
    }
}

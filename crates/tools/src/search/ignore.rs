//! [`Rules`]: the lines of one `.gitignore`.

use crate::search::globs::{Case, Globs};

/// Lines that are looked at in one file.
const MAX_LINES: usize = 10_000;

/// What a list of rules says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Leave it out.
    Ignored,
    /// Take it, whatever lists of less weight say.
    Wanted,
}

/// Rules for what is in one folder, by git's syntax. Of those that fit the last one holds.
#[derive(Debug)]
pub struct Rules {
    globs: Globs,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    glob: String,
    verdict: Verdict,
    only_folders: bool,
}

impl Rules {
    /// Reads a file. Lines that are no rules are passed over; `None` if there is none.
    pub fn of_file(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Vec<Line> = text.lines().take(MAX_LINES).filter_map(Line::read).collect();
        if lines.is_empty() {
            return None;
        }
        let (globs, _) = Globs::new(lines.iter().map(|line| line.glob.as_str()), Case::Sensitive);
        Some(Self { globs, lines })
    }

    /// A single glob of a tool's arguments, by the same syntax but turned round: it says what is wanted, and `!` what is not.
    /// The error is for the model.
    pub fn of_argument(glob: &str) -> Result<Self, String> {
        let Some(mut line) = Line::read(glob) else { return Err(format!("not a glob: {glob:?}")) };
        line.verdict = match line.verdict {
            Verdict::Ignored => Verdict::Wanted,
            Verdict::Wanted => Verdict::Ignored,
        };
        let (globs, error) = Globs::new([line.glob.as_str()], Case::Sensitive);
        error.map_or(Ok(Self { globs, lines: vec![line] }), Err)
    }

    /// What is said of a path below the folder of these rules, written with `/`.
    pub fn verdict(&self, path: &str, is_folder: bool) -> Option<Verdict> {
        let line = |n: usize| self.lines.get(n);
        let counts = |n: usize| line(n).is_some_and(|line| is_folder || !line.only_folders);
        self.globs.last_match(path, counts).and_then(line).map(|line| line.verdict)
    }

    /// Whether some of these rules say what is wanted, so that a file of which they say nothing is not.
    pub fn is_choice(&self) -> bool {
        self.lines.iter().any(|line| line.verdict == Verdict::Wanted)
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        if line.starts_with('#') {
            return None;
        }
        // Blanks at the end count only behind a backslash.
        let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
        let (verdict, line) = match line.strip_prefix('!') {
            Some(rest) => (Verdict::Wanted, rest),
            None => (Verdict::Ignored, line),
        };
        let line = line.strip_prefix('\\').filter(|rest| rest.starts_with(['!', '#'])).unwrap_or(line);
        let (is_anchored, line) = line.strip_prefix('/').map_or((false, line), |rest| (true, rest));
        let (only_folders, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
        if line.is_empty() {
            return None;
        }
        let mut glob = String::new();
        if !is_anchored && !line.contains('/') && !line.starts_with("**/") {
            glob.push_str("**/");
        }
        glob.push_str(line);
        // What is in a folder is not the folder.
        if glob.ends_with("/**") {
            glob.push_str("/*");
        }
        Some(Self { glob, verdict, only_folders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_gits() {
        let rules = "# comment\n\n*.log\n!keep.log\n/root.txt\nbuild/\ndoc/*.md\n**/deep/x\nall/**\n\\#hash\n\\!bang\ntrail   \n\
                     esc\\ \n[ab].c\na[\n{x,y}.z\nq?.t\r\n!/\n";
        let rules = Rules::of_file(rules).unwrap();
        let ignored = Some(Verdict::Ignored);
        let cases = [
            ("a.log", false, ignored),
            ("d/e/a.log", false, ignored),
            ("d/keep.log", false, Some(Verdict::Wanted)),
            ("root.txt", false, ignored),
            ("d/root.txt", false, None),
            ("build", true, ignored),
            ("build", false, None),
            ("d/build", true, ignored),
            ("doc/a.md", false, ignored),
            ("d/doc/a.md", false, None),
            ("doc/d/a.md", false, None),
            ("p/q/deep/x", false, ignored),
            ("deep/x", false, ignored),
            ("all", true, None),
            ("all/a", false, ignored),
            ("all/a/b", false, ignored),
            ("#hash", false, ignored),
            ("!bang", false, ignored),
            ("trail", false, ignored),
            ("esc ", false, ignored),
            ("a.c", false, ignored),
            ("c.c", false, None),
            ("x.z", false, ignored),
            ("qq.t", false, ignored),
            ("q/.t", false, None),
            ("A.LOG", false, None),
            ("other", false, None),
        ];
        for (path, is_folder, expected) in cases {
            assert_eq!(rules.verdict(path, is_folder), expected, "{path}");
        }
        assert!(Rules::of_file("# nothing\n\n").is_none());
    }

    #[test]
    fn many_rules_and_odd_ones_are_borne() {
        let text: String = (0..3000).map(|n| format!("f{n}\n!g{n}\n")).collect();
        let rules = Rules::of_file(&text).unwrap();
        assert_eq!(rules.verdict("d/f2999", false), Some(Verdict::Ignored));
        assert_eq!(rules.verdict("g0", false), Some(Verdict::Wanted));
        assert_eq!(rules.verdict("f3000", false), None);
        let odd = format!("{}\n{}\n{}b\n*.ok", "*a".repeat(2000), "{a,".repeat(500), "**/".repeat(500));
        let rules = Rules::of_file(&odd).unwrap();
        assert_eq!(rules.verdict(&"a".repeat(4000), false), Some(Verdict::Ignored));
        assert_eq!(rules.verdict("x.ok", false), Some(Verdict::Ignored));
    }
}

//! The command line.

use crate::inputs::Mode;
use crate::read;
use crate::value::Value;
use crate::write::Style;

const USAGE: &str = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n";
const HELP: &str = "Usage:\tjq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] -f FILE [FILES...]\n\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n\
    \tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n\n\
    Runs a program over each JSON value of the files, or of standard input.\n\n\
    \x20 -n  null as the only input      -R  each line is an input, as a string\n\
    \x20 -s  all inputs as an array      -c  each output on one line\n\
    \x20 -r  strings without quotes      -j  like -r, and no line ends\n\
    \x20 -a  ASCII only                  -S  keys of objects sorted\n\
    \x20 -e  exit 1 for null and false   -f  the program is in a file\n\
    \x20 --tab, --indent N               --arg NAME TEXT, --argjson NAME JSON\n\
    \x20 --slurpfile NAME FILE           --rawfile NAME FILE\n\
    \x20 --args, --jsonargs              --stream, --seq, --raw-output0\n";
const INDENT: i32 = 7;

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// The program, or the file it is in.
    pub program: Code,
    /// Variables, in order.
    pub named: Vec<(String, Named)>,
    /// `$ARGS.positional`.
    pub positional: Vec<Value>,
    /// Files with inputs; none is standard input.
    pub files: Vec<String>,
    /// `-n`.
    pub null_input: bool,
    raw_input: bool,
    slurp: bool,
    stream: bool,
    /// `-e`.
    pub exit_status: bool,
    /// `-r`.
    pub raw_output: bool,
    /// What stands before each output.
    pub before: &'static str,
    /// What stands behind each output.
    pub after: &'static str,
    /// How outputs are written.
    pub style: Style,
}

/// Where the program is.
#[derive(Debug, PartialEq, Eq)]
pub enum Code {
    /// On the command line.
    Text(String),
    /// In a file.
    File(String),
}

impl Default for Code {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// Where a variable comes from.
#[derive(Debug)]
pub enum Named {
    /// It is this.
    Value(Value),
    /// An array of the values in a file.
    Values(String),
    /// The text of a file.
    Text(String),
}

/// Why nothing is run.
#[derive(Debug)]
pub struct Refused {
    /// The exit code.
    pub code: u8,
    /// What is said, to standard output if the code is 0.
    pub text: String,
}

impl Options {
    /// How the inputs are read.
    pub fn mode(&self) -> Mode {
        match (self.raw_input, self.slurp, self.stream) {
            (true, true, _) => Mode::Text,
            (true, false, _) => Mode::Lines,
            (false, true, _) => Mode::JsonArray,
            (false, false, true) => Mode::Events,
            (false, false, false) => Mode::Json,
        }
    }
}

/// What the words behind `--args` and `--jsonargs` are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Further {
    Files,
    Texts,
    Json,
}

/// Reads a command line.
pub fn parse(args: &[String]) -> Result<Options, Refused> {
    let mut options = Options { after: "\n", ..Options::default() };
    options.style.indent = Some("  ".to_owned());
    let (mut words, mut further, mut are_words, mut from_file, mut first) =
        (args.iter(), Further::Files, false, false, None::<String>);
    while let Some(word) = words.next() {
        // A program may begin with a minus, too.
        let is_option = !are_words
            && word
                .strip_prefix('-')
                .is_some_and(|rest| rest.starts_with(|letter: char| letter == '-' || letter.is_ascii_alphabetic()));
        if !is_option {
            match (&first, further) {
                (None, _) => first = Some(word.clone()),
                (Some(_), Further::Files) => options.files.push(word.clone()),
                (Some(_), Further::Texts) => options.positional.push(Value::text(word)),
                (Some(_), Further::Json) => options.positional.push(json(word, "--jsonargs")?),
            }
            continue;
        }
        match word.as_str() {
            "--" => are_words = true,
            "--args" => further = Further::Texts,
            "--jsonargs" => further = Further::Json,
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                let (Some(name), Some(value)) = (words.next(), words.next()) else {
                    let hint = match word.as_str() {
                        "--arg" => "varname value",
                        "--argjson" => "varname text",
                        _ => "varname filename",
                    };
                    return Err(refused(format!("{word} takes two parameters (e.g. {word} {hint})")));
                };
                let value = match word.as_str() {
                    "--arg" => Named::Value(Value::text(value)),
                    "--argjson" => Named::Value(json(value, "--argjson")?),
                    "--slurpfile" => Named::Values(value.clone()),
                    _ => Named::Text(value.clone()),
                };
                if options.named.iter().all(|(known, _)| known != name) {
                    options.named.push((name.clone(), value));
                }
            }
            "--indent" => {
                let Some(width) = words.next() else {
                    return Err(refused("--indent takes one parameter".to_owned()));
                };
                // As jq reads a number: what is none is 0.
                match width.parse::<i32>().unwrap_or_default() {
                    -1 => options.style.indent = Some("\t".to_owned()),
                    width @ 0..=INDENT => options.style.indent = indent(width as usize),
                    ..-1 => return Err(refused("Cannot indent less than -1 characters".to_owned())),
                    _ => return Err(refused(format!("Cannot indent more than {INDENT} characters"))),
                }
            }
            "-L" => drop(words.next()),
            "--from-file" => from_file = true,
            "--null-input" => options.letter('n'),
            "--raw-input" => options.letter('R'),
            "--slurp" => options.letter('s'),
            "--compact-output" => options.letter('c'),
            "--raw-output" => options.letter('r'),
            "--raw-output0" => (options.raw_output, options.after) = (true, "\0"),
            "--join-output" => options.letter('j'),
            "--ascii-output" => options.letter('a'),
            "--sort-keys" => options.letter('S'),
            "--exit-status" => options.letter('e'),
            "--tab" => options.style.indent = Some("\t".to_owned()),
            "--stream" => options.stream = true,
            "--seq" => options.before = "\x1e",
            "--color-output" | "--monochrome-output" | "--unbuffered" => {}
            "--help" => return Err(Refused { code: 0, text: HELP.to_owned() }),
            "--version" => return Err(Refused { code: 0, text: "jq-1.7.1\n".to_owned() }),
            long if long.starts_with("--") => return Err(refused(format!("Unknown option {word}"))),
            letters => {
                for letter in letters.chars().skip(1) {
                    match letter {
                        'f' => from_file = true,
                        'h' => return Err(Refused { code: 0, text: HELP.to_owned() }),
                        'V' => return Err(Refused { code: 0, text: "jq-1.7.1\n".to_owned() }),
                        'n' | 'R' | 's' | 'c' | 'r' | 'j' | 'a' | 'S' | 'e' | 'C' | 'M' => options.letter(letter),
                        _ => return Err(refused(format!("Unknown option {word}"))),
                    }
                }
            }
        }
    }
    let first = first.unwrap_or_else(|| ".".to_owned());
    options.program = if from_file { Code::File(first) } else { Code::Text(first) };
    Ok(options)
}

impl Options {
    fn letter(&mut self, letter: char) {
        match letter {
            'n' => self.null_input = true,
            'R' => self.raw_input = true,
            's' => self.slurp = true,
            'c' => self.style.indent = None,
            'r' => self.raw_output = true,
            'j' => (self.raw_output, self.after) = (true, ""),
            'a' => self.style.ascii = true,
            'S' => self.style.sort = true,
            'e' => self.exit_status = true,
            // Colours, which nobody sees.
            _ => {}
        }
    }
}

fn indent(width: usize) -> Option<String> {
    (width > 0).then(|| " ".repeat(width))
}

fn json(text: &str, option: &str) -> Result<Value, Refused> {
    match read::read_one(text) {
        Ok(Some(value)) => Ok(value),
        Ok(None) | Err(_) => Err(refused(format!("invalid JSON text passed to {option}"))),
    }
}

fn refused(what: String) -> Refused {
    Refused { code: 2, text: format!("jq: {what}\n{USAGE}") }
}

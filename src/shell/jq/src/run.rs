//! The command: words, files and standard input in; text and an exit code out.

use crate::args::{self, Code, Named, Options, Refused};
use crate::inputs::{Inputs, Mode};
use crate::program::{Program, World};
use crate::value::Value;
use crate::write::{write, write_raw};

/// Bytes of output after which a program is ended.
const OUTPUT_BYTES: usize = 64 << 20;
const NO_FILE: &str = "No such file or directory";

/// What a command is run with.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The words behind `jq`.
    pub args: Vec<String>,
    /// What is in each of the files that [`wanted`] names, in its order; or why it could not be read.
    pub files: Vec<Result<Vec<u8>, String>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// What `env` and `$ENV` are.
    pub env: Vec<(String, String)>,
    /// What `now` is, in seconds since 1970.
    pub now_s: f64,
}

/// What a command came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

/// The files that a command line names, in the order in which a [`Job`] gives them.
pub fn wanted(args: &[String]) -> Vec<String> {
    args::parse(args).map(|options| files(&options)).unwrap_or_default()
}

fn files(options: &Options) -> Vec<String> {
    let program = if let Code::File(file) = &options.program { Some(file) } else { None };
    let named = options.named.iter().filter_map(|(_, named)| match named {
        Named::Values(file) | Named::Text(file) => Some(file),
        Named::Value(_) => None,
    });
    program.into_iter().chain(named).chain(&options.files).cloned().collect()
}

/// Runs a command. It may take for ever.
pub fn run(job: Job) -> Done {
    match begun(job) {
        Ok(done) => done,
        Err(Refused { code: 0, text }) => Done { stdout: text, ..Done::default() },
        Err(Refused { code, text }) => Done { stderr: text, code, ..Done::default() },
    }
}

fn begun(job: Job) -> Result<Done, Refused> {
    let options = args::parse(&job.args)?;
    let mut contents = job.files.into_iter();
    let mut next = || contents.next().unwrap_or_else(|| Err(NO_FILE.to_owned()));
    let code = match &options.program {
        Code::Text(code) => code.clone(),
        Code::File(file) => {
            let text = next().map_err(|why| fatal(format!("jq: error: Could not open {file}: {why}\n")))?;
            String::from_utf8_lossy(&text).into_owned()
        }
    };
    let mut named = Vec::new();
    for (name, from) in &options.named {
        let value = match from {
            Named::Value(value) => value.clone(),
            Named::Text(file) => {
                let text = next().map_err(|why| bad_file(name, file, &why))?;
                Value::text(String::from_utf8_lossy(&text))
            }
            Named::Values(file) => {
                let text = next().map_err(|why| bad_file(name, file, &why))?;
                let mut values = Inputs::new(vec![(None, text)], Mode::JsonArray);
                values.next().unwrap_or(Ok(Value::Null)).map_err(|why| bad_file(name, file, &why))?
            }
        };
        named.push((name.clone(), value));
    }
    let (mut stderr, mut texts, mut is_missing) = (String::new(), Vec::new(), false);
    for file in &options.files {
        match next() {
            Ok(text) => texts.push((Some(file.clone()), text)),
            Err(why) => {
                is_missing = true;
                stderr.push_str(&format!("jq: error: Could not open {file}: {why}\n"));
            }
        }
    }
    if options.files.is_empty() {
        texts.push((None, job.stdin));
    }
    let env = Value::object(job.env.into_iter().map(|(name, value)| (name, Value::text(value))));
    let program =
        Program::compile(&code, globals(named, &options.positional, &env)).map_err(|text| Refused { code: 3, text })?;
    let world = World::new(Inputs::new(texts, options.mode()), env, job.now_s);
    let mut session = Session { options: &options, program: &program, world: &world, stdout: String::new(), stderr };
    let code = session.all(is_missing);
    Ok(Done { stdout: session.stdout, stderr: session.stderr, code })
}

fn globals(named: Vec<(String, Value)>, positional: &[Value], env: &Value) -> Vec<(String, Value)> {
    let of_args = [
        ("positional", positional.iter().cloned().collect()),
        ("named", Value::object(named.iter().map(|(name, value)| (name.as_str(), value.clone())))),
    ];
    let place = [("file", Value::text("<top-level>")), ("line", Value::Number(1.0))];
    let fixed = [("ENV", env.clone()), ("ARGS", Value::object(of_args)), ("__loc__", Value::object(place))];
    let fixed = fixed.into_iter().map(|(name, value)| (name.to_owned(), value));
    fixed.chain(named).map(|(name, value)| (format!("${name}"), value)).collect()
}

fn fatal(text: String) -> Refused {
    Refused { code: 2, text }
}

fn bad_file(name: &str, file: &str, why: &str) -> Refused {
    fatal(format!("jq: Bad JSON in --slurpfile {name} {file}: {why}\n"))
}

struct Session<'a> {
    options: &'a Options,
    program: &'a Program,
    world: &'a World,
    stdout: String,
    stderr: String,
}

/// What running a program over one input came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    /// Nothing was put out.
    Empty,
    /// The last output counts as false.
    ToFalse,
    /// The last output counts as true.
    ToTrue,
    /// An error.
    ToError,
    /// The program ended the command.
    Halted(u8),
}

impl Session<'_> {
    /// The exit code.
    fn all(&mut self, is_missing: bool) -> u8 {
        // What the last input came to, and the last of them that put something out.
        let (mut last, mut last_output) = (Came::Empty, Came::Empty);
        let mut is_first = true;
        loop {
            let input = if self.options.null_input {
                if !std::mem::take(&mut is_first) {
                    break;
                }
                Value::Null
            } else {
                match self.world.next() {
                    None => break,
                    Some(Ok(input)) => input,
                    Some(Err(why)) => {
                        self.stderr.push_str(&format!("jq: parse error: {why}\n"));
                        return 5;
                    }
                }
            };
            last = self.one(input);
            match last {
                Came::Halted(code) => return code,
                Came::ToFalse | Came::ToTrue => last_output = last,
                Came::Empty | Came::ToError => {}
            }
            if self.stdout.len() > OUTPUT_BYTES {
                break;
            }
        }
        if is_missing {
            return 2;
        }
        match (last, self.options.exit_status) {
            (Came::ToError, _) => 5,
            (_, false) => 0,
            (Came::Empty, true) => match last_output {
                Came::ToTrue => 0,
                Came::ToFalse => 1,
                Came::Empty | Came::ToError | Came::Halted(_) => 4,
            },
            (Came::ToFalse, true) => 1,
            (Came::ToTrue | Came::Halted(_), true) => 0,
        }
    }

    fn one(&mut self, input: Value) -> Came {
        let mut came = Came::Empty;
        for output in self.program.run(self.world, input) {
            self.stderr.push_str(&self.world.take_told());
            let exception = match output {
                Ok(output) => {
                    came =
                        if matches!(output, Value::Null | Value::Bool(false)) { Came::ToFalse } else { Came::ToTrue };
                    self.put(&output);
                    if self.stdout.len() > OUTPUT_BYTES {
                        self.stderr.push_str("jq: error: stopped: more than 64 MB of output\n");
                        return Came::ToError;
                    }
                    continue;
                }
                Err(exception) => exception,
            };
            return match exception.get_err() {
                Ok(error) => {
                    let place = self.world.place();
                    let said = match error.into_val() {
                        Value::Text(text) => format!("jq: error (at {place}): {text}\n"),
                        other => format!("jq: error (at {place}) (not a string): {}\n", other.json()),
                    };
                    self.stderr.push_str(&said);
                    Came::ToError
                }
                Err(exception) => match exception.get_halt() {
                    // Exit codes have eight bits.
                    Ok(code) => Came::Halted(code as u8),
                    Err(_) => Came::ToError,
                },
            };
        }
        self.stderr.push_str(&self.world.take_told());
        came
    }

    fn put(&mut self, output: &Value) {
        self.stdout.push_str(self.options.before);
        match output.str() {
            Some(text) if self.options.raw_output => write_raw(text, &self.options.style, &mut self.stdout),
            _ => write(output, &self.options.style, &mut self.stdout),
        }
        self.stdout.push_str(self.options.after);
    }
}

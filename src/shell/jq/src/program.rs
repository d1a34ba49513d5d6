//! A program: compiled, and what is around it while it runs.

use std::cell::RefCell;
use std::collections::HashSet;

use jaq_core::compile::Undefined;
use jaq_core::data::HasLut;
use jaq_core::load::{self, Arena, File, Loader, parse::Def};
use jaq_core::{Compiler, Ctx, DataT, Exn, Filter, Lut, Vars};

use crate::inputs::Inputs;
use crate::natives::{Patterns, natives};
use crate::value::Value;

/// The kind of data that programs work on.
#[derive(Debug)]
pub enum Jq {}

impl DataT for Jq {
    type V<'a> = Value;
    type Data<'a> = Around<'a>;
}

/// What filters see beside their input.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    lut: &'a Lut<Jq>,
    world: &'a World,
}

impl<'a> Around<'a> {
    /// What is outside of the program.
    pub fn world(&self) -> &'a World {
        self.world
    }
}

impl<'a> HasLut<'a, Jq> for Around<'a> {
    fn lut(&self) -> &'a Lut<Jq> {
        self.lut
    }
}

/// What is outside of a program.
#[derive(Debug)]
pub struct World {
    inputs: RefCell<Inputs>,
    told: RefCell<String>,
    env: Value,
    now_s: f64,
    patterns: Patterns,
}

impl World {
    /// With inputs, environment and clock.
    pub fn new(inputs: Inputs, env: Value, now_s: f64) -> Self {
        Self { inputs: RefCell::new(inputs), told: RefCell::default(), env, now_s, patterns: Patterns::default() }
    }

    /// The next input.
    pub fn next(&self) -> Option<Result<Value, String>> {
        self.inputs.borrow_mut().next()
    }

    /// Where reading stands, as jq names it.
    pub fn place(&self) -> String {
        self.inputs.borrow_mut().place()
    }

    /// The name of the file that is read.
    pub fn file(&self) -> Value {
        self.inputs.borrow().file().map(Value::text).unwrap_or_default()
    }

    /// The line that is read.
    pub fn line(&self) -> usize {
        self.inputs.borrow_mut().line()
    }

    /// The environment.
    pub fn env(&self) -> Value {
        self.env.clone()
    }

    /// The time, in seconds since 1970.
    pub fn now_s(&self) -> f64 {
        self.now_s
    }

    /// The patterns that were compiled.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Puts something to standard error.
    pub fn tell(&self, text: &str) {
        self.told.borrow_mut().push_str(text);
    }

    /// What was put to standard error since this was last asked.
    pub fn take_told(&self) -> String {
        self.told.take()
    }
}

/// A compiled program.
pub struct Program {
    filter: Filter<Jq>,
    globals: Vec<Value>,
}

impl Program {
    /// Compiles a program that may name these variables. The error is what jq says of it.
    pub fn compile(code: &str, globals: Vec<(String, Value)>) -> Result<Self, String> {
        let code = &whole_characters(code);
        let natives = natives();
        let ours: HashSet<_> = natives.iter().map(|(name, args, _)| (*name, args.len())).collect();
        let theirs = |def: &Def<&'static str>| !ours.contains(&(def.name, def.args.len()));
        let own = load::parse(include_str!("defs.jq"), |parser| parser.defs()).unwrap_or_default();
        let defs = jaq_core::defs().filter(theirs).chain(own);
        let rest = jaq_core::funs().filter(|(name, args, _)| !ours.contains(&(*name, args.len())));
        let funs: Vec<_> = rest.chain(natives).collect();
        let arena = Arena::default();
        let modules = Loader::new(defs).load(&arena, File { code, path: () });
        let modules = modules.map_err(|errors| complaint(errors.iter().flat_map(|(_, error)| unread(code, error))))?;
        let names = globals.iter().map(|(name, _)| name.as_str());
        let filter =
            Compiler::default().with_funs(funs).with_global_vars(names).compile(modules).map_err(|errors| {
                let errors = errors.iter().flat_map(|(_, errors)| errors);
                complaint(errors.map(|(name, what)| placed(code, name, &undefined(name, what))))
            })?;
        Ok(Self { filter, globals: globals.into_iter().map(|(_, value)| value).collect() })
    }

    /// The outputs for an input.
    pub fn run<'a>(
        &'a self,
        world: &'a World,
        input: Value,
    ) -> impl Iterator<Item = Result<Value, Exn<'a, Value>>> + 'a {
        let around = Around { lut: &self.filter.lut, world };
        let context = Ctx::<Jq>::new(around, Vars::new(self.globals.iter().cloned()));
        self.filter.id.run((context, input))
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("globals", &self.globals).finish_non_exhaustive()
    }
}

/// A program in which no character is written as the two halves of a pair, which the parser does not put together.
fn whole_characters(code: &str) -> String {
    let unit = |escape: &str| u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok();
    let (mut whole, mut rest) = (String::with_capacity(code.len()), code);
    while let Some(at) = rest.find("\\u") {
        let (before, escapes) = rest.split_at(at);
        whole.push_str(before);
        let pair = escapes.get(..6).zip(escapes.get(6..12)).and_then(|(one, two)| Some([unit(one)?, unit(two)?]));
        match pair.and_then(|pair| String::from_utf16(&pair).ok()).filter(|text| text.chars().count() == 1) {
            Some(character) => {
                whole.push_str(&character);
                rest = escapes.get(12..).unwrap_or_default();
            }
            None => {
                whole.push_str("\\u");
                rest = escapes.get(2..).unwrap_or_default();
            }
        }
    }
    whole.push_str(rest);
    whole
}

fn undefined(name: &str, what: &Undefined) -> String {
    match what {
        Undefined::Filter(arity) => format!("{name}/{arity} is not defined"),
        Undefined::Label => format!("$*label-{} is not defined", name.trim_start_matches('$')),
        Undefined::Mod => format!("module {name} is not there: modules cannot be loaded in this shell"),
        _ => format!("{name} is not defined"),
    }
}

fn unread(code: &str, error: &load::Error<&str>) -> Vec<String> {
    let found = |found: &str| match found.chars().next() {
        None => "unexpected end of file (Unix shell quoting issues?)".to_owned(),
        Some(first) if first.is_alphanumeric() => {
            let word = found.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
            format!("unexpected '{}'", word.unwrap_or_default())
        }
        Some(first) => format!("unexpected '{first}'"),
    };
    match error {
        load::Error::Io(errors) => {
            let words = "modules cannot be loaded in this shell";
            errors.iter().map(|(path, _)| format!("{path}: {words}")).collect()
        }
        load::Error::Lex(errors) => {
            let said = |(wanted, at): &(load::lex::Expect<&str>, &str)| {
                placed(code, at, &format!("syntax error, {}, expected {}", found(at), wanted.as_str()))
            };
            errors.iter().map(said).collect()
        }
        load::Error::Parse(errors) => {
            let said = |(wanted, at): &(load::parse::Expect<&str>, &str)| {
                placed(code, at, &format!("syntax error, {}, expected {}", found(at), wanted.as_str()))
            };
            errors.iter().map(said).collect()
        }
    }
}

/// With the line of the program that the part is in.
fn placed(code: &str, part: &str, what: &str) -> String {
    // A part is a piece of the program; an end that nothing stands at is none of it.
    let at = (part.as_ptr() as usize).checked_sub(code.as_ptr() as usize).unwrap_or(code.len()).min(code.len());
    let line = code.get(..at).unwrap_or_default().matches('\n').count();
    let shown = code.lines().nth(line).unwrap_or_default();
    format!("{what} at <top-level>, line {}:\n{shown}", line + 1)
}

fn complaint(errors: impl Iterator<Item = String>) -> String {
    let errors: Vec<_> = errors.map(|error| format!("jq: error: {error}\n")).collect();
    let plural = if errors.len() == 1 { "" } else { "s" };
    format!("{}jq: {} compile error{plural}\n", errors.concat(), errors.len())
}

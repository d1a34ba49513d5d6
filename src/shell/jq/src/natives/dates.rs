//! Dates, all of them in UTC: there is no time zone in a shell without a machine.

use jaq_core::ValR;
use jaq_core::native::{bome, unary};

use super::{Native, filters, plain, with};
use crate::value::{Value, error};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("gmtime", |cv| bome(broken_down(&cv.1, "gmtime() requires a number").map(|moment| moment.value()))),
        plain("localtime", |cv| bome(broken_down(&cv.1, "localtime() requires a number").map(|moment| moment.value()))),
        plain("mktime", |cv| {
            bome(match Moment::of(&cv.1) {
                Some(moment) => Ok(Value::Number(moment.seconds().floor())),
                None if matches!(cv.1, Value::Array(_)) => error("mktime requires array of 6 numbers"),
                None => error("mktime requires array inputs"),
            })
        }),
        with("strftime", 1, |cv| unary(cv, |value, format| strftime(&value, &format, "strftime/1"))),
        with("strflocaltime", 1, |cv| unary(cv, |value, format| strftime(&value, &format, "strflocaltime/1"))),
        with("strptime", 1, |cv| unary(cv, |value, format| strptime(&value, &format))),
    ])
}

/// A moment as a calendar and a clock have it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moment {
    year: i64,
    /// From 0.
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: f64,
}

impl Moment {
    fn at(seconds: f64) -> Self {
        let whole = seconds.floor();
        let days = (whole / 86_400.0).floor();
        let rest = (whole - days * 86_400.0) as i64;
        let (year, month, day) = civil(days as i64);
        let second = (rest % 60) as f64 + (seconds - whole);
        Self { year, month, day, hour: rest / 3_600, minute: rest / 60 % 60, second }
    }

    fn of(value: &Value) -> Option<Self> {
        let Value::Array(parts) = value else { return None };
        let numbers: Vec<f64> = parts.iter().map(Value::number).collect::<Option<_>>()?;
        let [year, month, day, hour, minute, second, ..] = numbers.as_slice() else { return None };
        let whole = |part: &f64| *part as i64;
        let (hour, minute) = (whole(hour), whole(minute));
        Some(Self { year: whole(year), month: whole(month), day: whole(day), hour, minute, second: *second })
    }

    fn days(&self) -> i64 {
        let months = self.year.saturating_mul(12).saturating_add(self.month).clamp(-12_000_000, 12_000_000);
        days_before(months.div_euclid(12), months.rem_euclid(12)) + self.day.clamp(-1_000_000, 1_000_000) - 1
    }

    fn seconds(&self) -> f64 {
        self.days() as f64 * 86_400.0 + self.hour as f64 * 3_600.0 + self.minute as f64 * 60.0 + self.second
    }

    fn week_day(&self) -> i64 {
        (self.days() + 4).rem_euclid(7)
    }

    fn year_day(&self) -> i64 {
        self.days() - days_before(self.year, 0)
    }

    fn value(&self) -> Value {
        let parts = [self.year, self.month, self.day, self.hour, self.minute].map(|part| Value::Number(part as f64));
        let days = [self.week_day(), self.year_day()].map(|part| Value::Number(part as f64));
        parts.into_iter().chain([Value::Number(self.second)]).chain(days).collect()
    }
}

/// Days from 1970 to the beginning of a month of a year, in the calendar of today, however long ago. Years are bounded.
fn days_before(year: i64, month: i64) -> i64 {
    // Years begin in March here, so that the day that is not always there is the last.
    let year = if month < 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 10) % 12;
    let of_year = (153 * month + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year, month from 0 and day of a day since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.clamp(-300_000_000_000, 300_000_000_000);
    // A year that cannot be too late; the right one is at most one before.
    let mut year = 1970 + days.div_euclid(365);
    while days_before(year, 0) > days {
        let over = days_before(year, 0) - days;
        year -= (over / 366).max(1);
    }
    while days_before(year + 1, 0) <= days {
        year += 1;
    }
    let month = (0..12).rev().find(|month| days_before(year, *month) <= days).unwrap_or_default();
    (year, month, days - days_before(year, month) + 1)
}

fn broken_down(value: &Value, complaint: &str) -> ValR<Moment, Value> {
    match value.number().filter(|number| number.is_finite()) {
        Some(seconds) => Ok(Moment::at(seconds)),
        None => error(complaint),
    }
}

fn strftime(value: &Value, format: &Value, name: &str) -> ValR<Value> {
    let moment = match value {
        Value::Number(_) | Value::Literal(_) => broken_down(value, "")?,
        Value::Array(_) => match Moment::of(value) {
            Some(moment) => moment,
            None => return error(format!("{name} requires parsed datetime inputs")),
        },
        _ => return error(format!("{name} requires parsed datetime inputs")),
    };
    let Some(format) = format.str() else { return error(format!("{name} requires a string format")) };
    let mut written = String::new();
    formatted(&moment, format, &mut written);
    Ok(Value::text(written))
}

fn formatted(moment: &Moment, format: &str, out: &mut String) {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let hour12 = if moment.hour % 12 == 0 { 12 } else { moment.hour % 12 };
        let piece = match letters.next() {
            Some('Y') => moment.year.to_string(),
            Some('C') => format!("{:02}", moment.year.div_euclid(100)),
            Some('y') => format!("{:02}", moment.year.rem_euclid(100)),
            Some('m') => format!("{:02}", moment.month + 1),
            Some('d') => format!("{:02}", moment.day),
            Some('e') => format!("{:2}", moment.day),
            Some('H') => format!("{:02}", moment.hour),
            Some('k') => format!("{:2}", moment.hour),
            Some('I') => format!("{hour12:02}"),
            Some('l') => format!("{hour12:2}"),
            Some('M') => format!("{:02}", moment.minute),
            Some('S') => format!("{:02}", moment.second.floor()),
            Some('p') => if moment.hour < 12 { "AM" } else { "PM" }.to_owned(),
            Some('j') => format!("{:03}", moment.year_day() + 1),
            Some('u') => (if moment.week_day() == 0 { 7 } else { moment.week_day() }).to_string(),
            Some('w') => moment.week_day().to_string(),
            Some('U') => format!("{:02}", (moment.year_day() + 7 - moment.week_day()) / 7),
            Some('W') => format!("{:02}", (moment.year_day() + 7 - (moment.week_day() + 6) % 7) / 7),
            Some('G') => iso_week(moment).0.to_string(),
            Some('V') => format!("{:02}", iso_week(moment).1),
            Some('A') => name(&DAYS, moment.week_day()).to_owned(),
            Some('a') => short(name(&DAYS, moment.week_day())),
            Some('B') => name(&MONTHS, moment.month).to_owned(),
            Some('b' | 'h') => short(name(&MONTHS, moment.month)),
            Some('s') => format!("{}", moment.seconds().floor()),
            Some('Z') => "UTC".to_owned(),
            Some('z') => "+0000".to_owned(),
            Some('n') => "\n".to_owned(),
            Some('t') => "\t".to_owned(),
            Some('%') => "%".to_owned(),
            Some(composed) if composition(composed).is_some() => {
                formatted(moment, composition(composed).unwrap_or_default(), out);
                continue;
            }
            Some(other) => format!("%{other}"),
            None => "%".to_owned(),
        };
        out.push_str(&piece);
    }
}

/// What stands for several others.
fn composition(letter: char) -> Option<&'static str> {
    Some(match letter {
        'F' => "%Y-%m-%d",
        'T' => "%H:%M:%S",
        'R' => "%H:%M",
        'D' | 'x' => "%m/%d/%y",
        'X' => "%H:%M:%S",
        'r' => "%I:%M:%S %p",
        'c' => "%a %b %e %H:%M:%S %Y",
        _ => return None,
    })
}

/// The year and week by the calendar of weeks, where a week is of the year that has its Thursday.
fn iso_week(moment: &Moment) -> (i64, i64) {
    let thursday = moment.days() - (moment.week_day() + 6) % 7 + 3;
    let (year, ..) = civil(thursday);
    (year, (thursday - days_before(year, 0)) / 7 + 1)
}

fn name<'n>(names: &[&'n str], index: i64) -> &'n str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("?")
}

fn short(name: &str) -> String {
    name.chars().take(3).collect()
}

fn strptime(value: &Value, format: &Value) -> ValR<Value> {
    let (Some(subject), Some(format)) = (value.str(), format.str()) else {
        return error("strptime/1 requires string inputs and arguments");
    };
    // What is not said is zero, the day of the month, too.
    let mut moment = Moment { year: 1900, ..Moment::default() };
    let mut scan = Scan { rest: subject, is_afternoon: None, offset: 0, epoch: None };
    let is_read = scan.all(format, &mut moment).is_some() && scan.rest.is_empty();
    if !is_read {
        return error(format!("date \"{subject}\" does not match format \"{format}\""));
    }
    if let Some(is_afternoon) = scan.is_afternoon {
        moment.hour = moment.hour % 12 + if is_afternoon { 12 } else { 0 };
    }
    if let Some(seconds) = scan.epoch {
        moment = Moment::at(seconds);
    }
    Ok(moment.value())
}

/// Reads a date as its format says.
struct Scan<'t> {
    rest: &'t str,
    is_afternoon: Option<bool>,
    /// Read and, as in jq, not reckoned with.
    offset: i64,
    epoch: Option<f64>,
}

impl Scan<'_> {
    fn all(&mut self, format: &str, moment: &mut Moment) -> Option<()> {
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter.is_whitespace() {
                self.rest = self.rest.trim_start();
                continue;
            }
            if letter != '%' {
                self.rest = self.rest.strip_prefix(letter)?;
                continue;
            }
            match letters.next()? {
                'Y' => moment.year = self.digits(4)?,
                'y' => {
                    let year = self.digits(2)?;
                    moment.year = if year < 69 { 2000 + year } else { 1900 + year };
                }
                'm' => moment.month = self.within(2, 1..=12)? - 1,
                'd' | 'e' => moment.day = self.within(2, 1..=31)?,
                'H' | 'k' => moment.hour = self.within(2, 0..=23)?,
                'I' | 'l' => moment.hour = self.within(2, 1..=12)?,
                'M' => moment.minute = self.within(2, 0..=59)?,
                'S' => moment.second = self.within(2, 0..=60)? as f64,
                'j' => {
                    let day = self.within(3, 1..=366)?;
                    let (_, month, of_month) = civil(days_before(moment.year, 0) + day - 1);
                    (moment.month, moment.day) = (month, of_month);
                }
                'p' => {
                    self.is_afternoon = Some(self.word(&["AM", "PM"])? == 1);
                }
                'A' | 'a' => drop(self.word(&DAYS)?),
                'B' | 'b' | 'h' => moment.month = self.word(&MONTHS)?,
                's' => self.epoch = Some(self.digits(12)? as f64),
                'Z' => self.rest = self.rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()),
                'z' => self.zone()?,
                '%' => self.rest = self.rest.strip_prefix('%')?,
                'n' | 't' => self.rest = self.rest.trim_start(),
                composed => self.all(composition(composed)?, moment)?,
            }
        }
        Some(())
    }

    fn digits(&mut self, most: usize) -> Option<i64> {
        self.rest = self.rest.trim_start_matches(' ');
        let length = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        digits.parse().ok()
    }

    fn within(&mut self, most: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        self.digits(most).filter(|number| range.contains(number))
    }

    /// Which of the names comes, whole or by its first three letters.
    fn word(&mut self, names: &[&str]) -> Option<i64> {
        for (index, name) in names.iter().enumerate() {
            for name in [*name, name.get(..3).unwrap_or(name)] {
                let (word, rest) = match self.rest.split_at_checked(name.len()) {
                    Some(split) => split,
                    None => continue,
                };
                if word.eq_ignore_ascii_case(name) {
                    self.rest = rest;
                    return i64::try_from(index).ok();
                }
            }
        }
        None
    }

    fn zone(&mut self) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Some(());
        }
        self.rest = self.rest.strip_prefix(['+', '-'])?;
        let hours = self.digits(2)?;
        self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
        self.offset = hours * 60 + self.digits(2)?;
        Some(())
    }
}

//! ISO timestamps and milliseconds since 1970, the two spellings of time in a session file. No clock.

const MS_PER_DAY: u64 = 86_400_000;

/// The latest moment that still has a four-digit year.
const MAX_MS: u64 = 253_402_300_799_999;

/// `2026-11-30T15:00:00.000Z`. A time past the year 9999 is written as its last millisecond, so the text keeps its width
/// and sorts.
pub fn to_iso(ms: u64) -> String {
    let ms = ms.min(MAX_MS);
    let (year, month, day) = civil_from_days(ms / MS_PER_DAY);
    let rest = ms % MS_PER_DAY;
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The milliseconds of an ISO timestamp in UTC, with or without a fraction; `None` for anything else, also before 1970.
pub fn from_iso(text: &str) -> Option<u64> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(digits);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut clock = clock.splitn(3, ':').map(digits);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    digits(fraction)?;
    let milli = digits(format!("{fraction:0<3}").get(..3)?)?;
    let days = days_from_civil(year, month, day);
    Some(days * MS_PER_DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + milli)
}

/// A short run of ASCII digits; longer ones could overflow.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// Days since 1970-01-01 of a date, by counting years from 1 March so that the leap day comes last.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era_day = year * 365 + year / 4 - year / 100 + year / 400;
    let year_day = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    // 719468 days from 0000-03-01 to 1970-01-01; January 1970 itself is still in the March year 1969.
    (era_day + year_day).saturating_sub(719_468)
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let year_day = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * year_day + 2) / 153;
    let day = year_day - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_read_and_write() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_050_800_123, "2026-11-30T15:00:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (MAX_MS, "9999-12-31T23:59:59.999Z"),
        ];
        for (ms, text) in cases {
            assert_eq!(to_iso(ms), text);
            assert_eq!(from_iso(text), Some(ms), "{text}");
        }
        assert_eq!(to_iso(u64::MAX), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for day in 0..146_097 {
            let ms = day * MS_PER_DAY + day % MS_PER_DAY;
            assert_eq!(from_iso(&to_iso(ms)), Some(ms));
        }
    }

    #[test]
    fn other_spellings() {
        let cases = [
            ("1970-01-01T00:00:01Z", Some(1000)),
            ("1970-01-01T00:00:00.5Z", Some(500)),
            ("1970-01-01T00:00:00.123456Z", Some(123)),
            ("1969-12-31T23:59:59.999Z", None),
            ("1970-13-01T00:00:00.000Z", None),
            ("1970-01-01T24:00:00.000Z", None),
            ("1970-01-01T00:00:00.é00Z", None),
            ("1970-01-01", None),
            ("99999999999999999999-01-01T00:00:00Z", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(from_iso(text), expected, "{text}");
        }
    }
}

//! Moments in lifecycle and audit records. Only those carry a time, and it comes from a clock that the caller gives.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment, to the microsecond. Written as RFC 3339 in UTC with `Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment(Timestamp);

/// The text is not an ISO-8601 date and time.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is not an ISO-8601 date and time; expected for example 2026-02-02T15:30:45Z")]
pub struct NotAMoment {
    /// The refused text.
    pub text: String,
}

impl Moment {
    /// Reads ISO-8601 with a date and a time. Without a zone it is UTC.
    pub fn parse(text: &str) -> Result<Moment, NotAMoment> {
        let refused = || NotAMoment { text: text.chars().take(64).collect() };
        // The readers below take more than ISO-8601 does: brackets with a zone name, a blank for the `T`, no time at all.
        let is_plain =
            text.is_ascii() && !text.contains(['[', ' ', '_']) && text.contains(['T', 't']);
        if !is_plain {
            return Err(refused());
        }
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            return Ok(Moment(timestamp));
        }
        let civil: DateTime = text.parse().map_err(|_| refused())?;
        let zoned = civil.to_zoned(TimeZone::UTC).map_err(|_| refused())?;
        Ok(Moment(zoned.timestamp()))
    }

    /// The moment so many microseconds after the start of 1970; the nearest one that exists where that is too far off.
    pub fn from_micros(micros: i64) -> Moment {
        Moment(Timestamp::from_microsecond(micros).unwrap_or(if micros < 0 {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        }))
    }

    /// The moment of a timestamp.
    pub(crate) fn of(timestamp: Timestamp) -> Moment {
        Moment(timestamp)
    }

    /// The moment as the library for time has it.
    pub(crate) fn timestamp(self) -> Timestamp {
        self.0
    }

    /// Microseconds since the start of 1970.
    pub fn micros(self) -> i64 {
        self.0.as_microsecond()
    }

    /// The moment so many seconds later.
    pub fn plus_seconds(self, seconds: i64) -> Moment {
        Moment::from_micros(self.micros().saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Its day in UTC, as ids have it: `YYYYMMDD`.
    pub fn day(self) -> String {
        self.0.to_zoned(TimeZone::UTC).strftime("%Y%m%d").to_string()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DF-15, X-20.
    #[test]
    fn a_time_without_a_zone_is_utc_and_output_has_z() {
        for (text, shown) in [
            ("2026-02-02T15:30:45.123456", "2026-02-02T15:30:45.123456Z"),
            ("2026-02-02T15:30:45Z", "2026-02-02T15:30:45Z"),
            ("2026-02-02T15:30:45+02:00", "2026-02-02T13:30:45Z"),
            ("2026-02-02T15:30", "2026-02-02T15:30:00Z"),
            ("20260202T153045", "2026-02-02T15:30:45Z"),
        ] {
            assert_eq!(Moment::parse(text).unwrap().to_string(), shown);
        }
        for text in [
            "",
            "yesterday",
            "2026-02-02",
            "15:30",
            "2026-13-02T00:00:00Z",
            "2026-02-02 15:30:45",
            "2026-02-02T15:30:45[Europe/Berlin]",
            "2026-02-30T00:00:00Z",
            "２０２６-02-02T15:30:45Z",
        ] {
            assert!(Moment::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_day_of_an_id_is_the_day_in_utc() {
        assert_eq!(Moment::parse("2026-02-02T23:30:00-01:00").unwrap().day(), "20260203");
    }
}

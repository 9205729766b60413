/// What stands where there is no figure.
pub(crate) const NOTHING: &str = "n/a";

/// A time in the unit that leaves 1 to 999 before the point, with 3 digits.
pub(crate) fn time_ns(ns: f64) -> String {
    if !ns.is_finite() || ns < 0.0 {
        return NOTHING.to_owned();
    }
    if ns < 999.5 {
        return format!("{ns:.0} ns");
    }
    let scales = [(1e3, "us"), (1e6, "ms"), (1e9, "s")];
    for (index, (size, unit)) in scales.into_iter().enumerate() {
        if ns < size * 999.5 || index == scales.len() - 1 {
            return format!("{} {unit}", three_digits(ns / size));
        }
    }
    NOTHING.to_owned()
}

/// A range of times, each with 3 digits; the unit once where both have the same.
pub(crate) fn range_ns(low: u64, high: u64) -> String {
    let [low, high] = [low, high].map(|ns| time_ns(ns as f64));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}-{high}"),
        _ => format!("{low}-{high}"),
    }
}

/// A size in the unit that leaves 1 to 1023 before the point, with 3 digits from KiB on.
pub(crate) fn size_bytes(bytes: f64) -> String {
    if !bytes.is_finite() || bytes < 0.0 {
        return NOTHING.to_owned();
    }
    if bytes < 1023.5 {
        return format!("{bytes:.0} B");
    }
    let scales = [
        (1024.0, "KiB"),
        (1024.0 * 1024.0, "MiB"),
        (1024.0 * 1024.0 * 1024.0, "GiB"),
    ];
    for (index, (size, unit)) in scales.into_iter().enumerate() {
        if bytes < size * 1023.5 || index == scales.len() - 1 {
            return format!("{} {unit}", three_digits(bytes / size));
        }
    }
    NOTHING.to_owned()
}

/// A number of things, as in `1 thread` and `2 threads`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// A plain number with 3 digits, or more before the point.
pub(crate) fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        NOTHING.to_owned()
    } else if value.abs() >= 99.95 {
        format!("{value:.0}")
    } else if value.abs() >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// Six digits, without zeros that say nothing.
pub(crate) fn six_digits(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    let places = usize::try_from(digits.clamp(0, 12)).unwrap_or(0);
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number on an axis: whole numbers as they are.
pub(crate) fn plain(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        three_digits(value)
    }
}

/// A share from 0 to 1 as a percentage.
pub(crate) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NOTHING.to_owned();
    }
    format!("{} %", three_digits(100.0 * share))
}

/// A figure, or `n/a`.
pub(crate) fn or_nothing<T>(value: Option<T>, print: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), print)
}

/// A text of unknown origin as one line that leaves the terminal alone: control codes, and marks
/// that hide or turn round what follows, become spaces.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_unit_once() {
        assert_eq!(range_ns(1_210_000, 1_240_000), "1.21-1.24 ms");
        assert_eq!(range_ns(900_000, 1_100_000), "900 us-1.10 ms");
    }

    #[test]
    fn times_take_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (999.6, "1.00 us"),
            (1_234.0, "1.23 us"),
            (45_600_000.0, "45.6 ms"),
            (999_600_000.0, "1.00 s"),
            (3_600e9, "3600 s"),
            (f64::NAN, "n/a"),
            (f64::INFINITY, "n/a"),
        ];
        for (ns, text) in cases {
            assert_eq!(time_ns(ns), text);
        }
    }

    #[test]
    fn sizes_and_shares_too() {
        assert_eq!(size_bytes(512.4), "512 B");
        assert_eq!(size_bytes(1024.0), "1.00 KiB");
        assert_eq!(size_bytes(20.0 * 1024.0 * 1024.0), "20.0 MiB");
        assert_eq!(percent(0.0123), "1.23 %");
        assert_eq!(or_nothing(None, time_ns), "n/a");
    }

    #[test]
    fn what_moves_the_cursor_or_turns_text_round_is_not_printed() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc"), "a [2Jb  c");
        assert_eq!(printable("x\u{202e}y\u{9b}z"), "x y z");
        assert_eq!(printable("Größe 漢"), "Größe 漢");
    }

    #[test]
    fn values_have_six_digits_at_most() {
        for (number, text) in [
            (0.0, "0"),
            (0.001_234_567_8, "0.00123457"),
            (12.5, "12.5"),
            (1_234.567_8, "1234.57"),
            (100.0, "100"),
            (12_345_678.0, "12345678"),
            (-3.25, "-3.25"),
        ] {
            assert_eq!(six_digits(number), text);
        }
    }
}

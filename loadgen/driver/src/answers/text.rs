use loadgen_protocol::Property;
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

/// Longest text that is made, in characters: a question that wants more gets less than it wants
/// instead of all memory.
pub(super) const LONGEST_TEXT: u64 = 1 << 20;
/// Longest address of an email, in characters (RFC 5321, section 4.5.3.1.3, without the brackets).
const LONGEST_EMAIL: usize = 254;
/// Longest part before the `@` (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;
/// Longest label of a host name (RFC 1035, section 2.3.4).
const LONGEST_LABEL: usize = 63;

/// A string of the property's format and length. All characters are ASCII: bytes are characters.
pub(super) fn text(property: &Property, rng: &mut Xoshiro256PlusPlus) -> String {
    let tag: u32 = rng.random_range(0..1_000_000);
    let most = property.max_length.unwrap_or(u64::MAX).min(LONGEST_TEXT);
    let least = property.min_length.unwrap_or(0).min(most);
    // Both are at most 2^20.
    let (least, most) = (least as usize, most as usize);
    match property.format.as_deref() {
        Some("email") => email(tag, least, most),
        Some("uri") => uri(tag, least, most),
        Some("date") => format!("2026-{:02}-{:02}", 1 + tag % 12, 1 + tag % 28),
        Some("date-time") => date_time(tag, least),
        _ => fit(format!("answer {tag:06}"), least, most),
    }
}

fn email(tag: u32, least: usize, most: usize) -> String {
    let usual = format!("user{tag}@load.example");
    if usual.len() > most {
        // The shortest that there is has one letter before the `@`.
        let room = |length: usize| length.saturating_sub("@b.co".len()).max(1);
        let digits = fit(format!("u{tag}"), room(least), room(most));
        return format!("{digits}@b.co");
    }
    let longer = least.min(LONGEST_EMAIL).saturating_sub(usual.len());
    let room = LONGEST_LOCAL - (usual.len() - "@load.example".len());
    let mut local = format!("user{tag}{}", "x".repeat(longer.min(room)));
    let mut rest = longer.saturating_sub(room);
    if rest == 1 {
        // No label is one character long with its dot.
        local.pop();
        rest = 2;
    }
    let mut host = String::new();
    while rest > 0 {
        // What is left over for the next label must not be a lone dot.
        let label = (rest - 1).min(LONGEST_LABEL);
        let label = if rest - label - 1 == 1 {
            label - 1
        } else {
            label
        };
        host.push_str(&"h".repeat(label));
        host.push('.');
        rest -= label + 1;
    }
    format!("{local}@{host}load.example")
}

fn uri(tag: u32, least: usize, most: usize) -> String {
    let usual = format!("https://load.example/{tag}");
    if usual.len() > most {
        return fit(format!("x:{tag}"), least.max(3), most.max(3));
    }
    fit(usual, least, most)
}

/// Longer ones have more digits of the second.
fn date_time(tag: u32, least: usize) -> String {
    let to_the_second = format!("2026-07-28T12:{:02}:{:02}", tag / 60 % 60, tag % 60);
    let digits = least.saturating_sub(to_the_second.len() + "Z".len());
    match digits {
        0 => format!("{to_the_second}Z"),
        digits => format!("{to_the_second}.{}Z", "0".repeat((digits - 1).max(1))),
    }
}

/// Cut, or filled up with a letter.
fn fit(mut text: String, least: usize, most: usize) -> String {
    text.truncate(most);
    text.extend(std::iter::repeat_n('x', least.saturating_sub(text.len())));
    text
}

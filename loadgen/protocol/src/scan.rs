//! A quick look over JSON text of the usual form: each byte once, and nothing kept but slices.
//!
//! It takes less than JSON is: objects that are nested too deeply and keys with escapes are left to
//! serde, as is everything that is wrong. What it takes, serde takes too, with the same members.

use std::iter;

use serde::de::value::{BorrowedStrDeserializer, Error, MapDeserializer};
use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::value::RawValue;

/// Objects and arrays within each other that are looked into.
const DEPTH_MAX: u8 = 64;

/// JSON text and how far it has been read. Every method gives `None` where serde has to decide.
pub(crate) struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: u8,
}

impl<'a> Scan<'a> {
    /// Reads the object that this text is, as [`Self::members`] does.
    pub(crate) fn object(
        text: &'a str,
        take: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        let mut scan = Self::new(text);
        scan.members(take)?;
        scan.skip_space();
        (scan.at == text.len()).then_some(())
    }

    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Reads an object; `take` is given each key and has to read the value.
    pub(crate) fn members(
        &mut self,
        mut take: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        self.begin(b'{')?;
        if self.token()? != b'}' {
            self.at -= 1;
            loop {
                take_token(self, b'"')?;
                let start = self.at;
                let plain = self.string()?;
                let key = self.text.get(start..self.at - 1).filter(|_| plain)?;
                take_token(self, b':')?;
                take(self, key)?;
                match self.token()? {
                    b',' => {}
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// Reads a value; gives its text.
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        match self.byte()? {
            b'"' => {
                self.at += 1;
                self.string()?;
            }
            b'{' => self.members(|scan, _| scan.value().map(drop))?,
            b'[' => self.items()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => return None,
        }
        self.text.get(start..self.at)
    }

    /// [`Self::value`] as serde_json's type.
    pub(crate) fn raw(&mut self) -> Option<&'a RawValue> {
        <&RawValue>::deserialize(Checked(self.value()?)).ok()
    }

    /// [`Self::raw`] of anything but `null`, which serde takes for nothing where it may be missing.
    pub(crate) fn given(&mut self) -> Option<&'a RawValue> {
        self.raw().filter(|raw| raw.get() != "null")
    }

    /// What `read` reads of the next value, and its text as serde_json's type.
    pub(crate) fn spanned<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(&'a RawValue, T)> {
        self.skip_space();
        let start = self.at;
        let read = read(self)?;
        let text = self.text.get(start..self.at)?;
        Some((<&RawValue>::deserialize(Checked(text)).ok()?, read))
    }

    fn items(&mut self) -> Option<()> {
        self.begin(b'[')?;
        if self.token()? != b']' {
            self.at -= 1;
            loop {
                self.value()?;
                match self.token()? {
                    b',' => {}
                    b']' => break,
                    _ => return None,
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn begin(&mut self, bracket: u8) -> Option<()> {
        take_token(self, bracket)?;
        self.depth += 1;
        (self.depth <= DEPTH_MAX).then_some(())
    }

    /// Reads a string whose opening quote has been read; gives whether it stands for itself.
    fn string(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        let mut plain = true;
        loop {
            // Most strings are short; in a long one many bytes are looked at in one go.
            while let Some(eight) = bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
                let first = first_special(*eight);
                self.at += first;
                if first < 8 {
                    break;
                }
                while let Some(many) = bytes.get(self.at..).and_then(<[u8]>::first_chunk)
                    && !has_special(many)
                {
                    self.at += many.len();
                }
            }
            let byte = self.byte()?;
            self.at += 1;
            match byte {
                b'"' => return Some(plain),
                b'\\' => {
                    self.escape()?;
                    plain = false;
                }
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let kind = self.byte()?;
        self.at += 1;
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
                self.at += 4;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// Reads a number (RFC 8259, section 6).
    fn number(&mut self) -> Option<()> {
        self.eat(b"-");
        if !self.eat(b"0") {
            self.digits()?;
        }
        if self.eat(b".") {
            self.digits()?;
        }
        if self.eat(b"eE") {
            self.eat(b"+-");
            self.digits()?;
        }
        Some(())
    }

    /// Reads one digit or more.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_there = self
            .text
            .as_bytes()
            .get(self.at..)?
            .starts_with(word.as_bytes());
        self.at += word.len();
        is_there.then_some(())
    }

    /// Reads the next byte if it is one of these.
    fn eat(&mut self, any: &[u8]) -> bool {
        let is_there = self.byte().is_some_and(|byte| any.contains(&byte));
        self.at += usize::from(is_there);
        is_there
    }

    /// Reads the next byte that is no white space.
    fn token(&mut self) -> Option<u8> {
        self.skip_space();
        let byte = self.byte()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

fn take_token(scan: &mut Scan<'_>, want: u8) -> Option<()> {
    (scan.token()? == want).then_some(())
}

/// Puts a member where it belongs, unless it was given before.
pub(crate) fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    match place {
        None => {
            *place = Some(value);
            Some(())
        }
        Some(_) => None,
    }
}

/// Whether any of these bytes may not stand within a string. All are looked at, which a processor does
/// for many at one time.
fn has_special(many: &[u8; 32]) -> bool {
    let special =
        |byte: u8| u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\');
    many.iter().fold(0, |found, byte| found | special(*byte)) != 0
}

/// Which of eight bytes is the first that may not stand within a string: a quote, a backslash or a
/// control character; 8 for none. (Zero bytes are found as in Hacker's Delight, section 6-1: a borrow
/// can only spoil bytes above the first one found.)
fn first_special(eight: [u8; 8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let bytes = u64::from_le_bytes(eight);
    let below = |bytes: u64, bound: u8| bytes.wrapping_sub(ONES * u64::from(bound)) & !bytes;
    let equal = |byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
    let special = (below(bytes, b' ') | equal(b'"') | equal(b'\\')) & TOPS;
    special.trailing_zeros() as usize / 8
}

/// Text that is known to be JSON. A [`RawValue`] can only be had from a deserialiser, and serde_json's
/// own would read the text a second time. Should a later version of serde_json ask for it in another
/// way, it gets an error, and all messages go the slow way.
struct Checked<'a>(&'a str);

impl<'de> Deserializer<'de> for Checked<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only raw values are read from checked text"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text = BorrowedStrDeserializer::new(self.0);
        visitor.visit_map(MapDeserializer::new(iter::once((name, text))))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<&str> {
        let mut scan = Scan::new(text);
        let value = scan.value()?;
        scan.skip_space();
        (scan.at == text.len()).then_some(value)
    }

    #[test]
    fn usual_values_are_taken_in_their_own_bytes() {
        for good in [
            "0",
            "-0",
            "10",
            "-12.50",
            "1e5",
            "1E-05",
            "1.0e+9",
            "true",
            "false",
            "null",
            "\"\"",
            r#""a b""#,
            r#""a\"b\\""#,
            r#""\u00e9\ud800\n""#,
            "\"世界\"",
            "[]",
            "[ ]",
            "[1,[2] , {}]",
            "{}",
            r#"{ "a" : [ { "b" : "c" } ] , "a" : 1 }"#,
        ] {
            assert_eq!(value(&format!(" {good}\n")), Some(good));
            let mut scan = Scan::new(good);
            assert_eq!(
                scan.raw().map(RawValue::get),
                Some(good),
                "fast for serde_json too"
            );
        }
    }

    #[test]
    fn what_is_no_json_is_never_taken() {
        for bad in [
            "",
            " ",
            "01",
            "-",
            "+1",
            ".5",
            "1.",
            "1e",
            "1e+",
            "0x1",
            "tru",
            "True",
            "nulll",
            "\"",
            "\"a",
            "\"\\",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\t\"",
            "\"a\u{0}\"",
            "[",
            "[1",
            "[1,]",
            "[,]",
            "[1 2]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "]",
            "{\"a\":1 \"b\":2}",
            "[1}",
            "\u{a0}1",
            "NaN",
            "'a'",
        ] {
            assert_eq!(value(bad), None, "{bad}");
        }
    }

    #[test]
    fn deep_text_is_left_to_serde() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(value(&nested(DEPTH_MAX.into())).is_some());
        assert!(value(&nested(usize::from(DEPTH_MAX) + 1)).is_none());
        assert!(value(&nested(100_000)).is_none());
    }

    #[test]
    fn the_first_byte_that_may_not_stand_within_a_string_is_found() {
        for place in 0..8 {
            for special in 0..=0xff {
                for other in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
                    let mut eight = [other; 8];
                    eight[place] = special;
                    let is_special = matches!(special, 0..0x20 | b'"' | b'\\');
                    let want = if is_special { place } else { 8 };
                    assert_eq!(first_special(eight), want, "{eight:?}");
                    let mut many = [b'x'; 32];
                    many[24..].copy_from_slice(&eight);
                    let others = matches!(other, b'"' | b'\\');
                    assert_eq!(has_special(&many), is_special || others, "{eight:?}");
                }
            }
        }
    }
}

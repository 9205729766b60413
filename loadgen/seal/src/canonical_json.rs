//! One text for one JSON value, for digests.
//!
//! - Members of an object are sorted by the UTF-8 bytes of their decoded names; a name given twice
//!   is refused, at any depth.
//! - Integers are exact at any length. A number with a fraction or an exponent is read as a double
//!   reader would read it: one beyond a double's range is refused, one that is not zero but smaller
//!   than a double can say is refused; one whose decimal value is whole is written as that integer
//!   (`1.0` and `1e0` are `1`, `1e21` is a 1 and 21 zeros), and any other by the shortest text that
//!   reads back as the same double. Every zero is `0`.
//! - Text is kept character by character (the composed and the decomposed form of a letter stay
//!   apart); only `"`, `\` and control characters are escaped. Unpaired surrogates are refused.
//! - No white space.
//!
//! This is close to RFC 8785, which sorts by UTF-16 units and keeps no integer beyond a double.

/// Arguments that have no canonical form. No token may be minted for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// Not JSON (RFC 8259).
    #[error("not JSON at byte {0}")]
    Syntax(usize),
    /// Not UTF-8.
    #[error("not UTF-8 after byte {0}")]
    Utf8(usize),
    /// An object names a member twice.
    #[error("the same name twice in one object, before byte {0}")]
    DuplicateName(usize),
    /// A number that no double represents.
    #[error("a number out of range at byte {0}")]
    Number(usize),
    /// An escaped half of a surrogate pair.
    #[error("an unpaired surrogate at byte {0}")]
    Surrogate(usize),
    /// Arrays and objects are nested more than 128 deep.
    #[error("nested too deep at byte {0}")]
    Depth(usize),
}

/// How deep arrays and objects may be nested.
const DEPTH: usize = 128;

/// The canonical text of the JSON value `raw`.
pub(crate) fn canonical(raw: &[u8]) -> Result<Vec<u8>, CanonicalError> {
    let text = std::str::from_utf8(raw).map_err(|e| CanonicalError::Utf8(e.valid_up_to()))?;
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut out = Vec::with_capacity(raw.len());
    reader.space();
    reader.value(&mut out, 0)?;
    reader.space();
    if reader.at == raw.len() {
        Ok(out)
    } else {
        Err(reader.syntax())
    }
}

struct Reader<'a> {
    /// UTF-8.
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn syntax(&self) -> CanonicalError {
        CanonicalError::Syntax(self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), CanonicalError> {
        if self.bytes[self.at..].starts_with(text.as_bytes()) {
            self.at += text.len();
            Ok(())
        } else {
            Err(self.syntax())
        }
    }

    fn value(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), CanonicalError> {
        match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH => Err(CanonicalError::Depth(self.at)),
            Some(b'{') => self.object(out, depth + 1),
            Some(b'[') => self.array(out, depth + 1),
            Some(b'"') => {
                let text = self.string()?;
                write_string(&text, out);
                Ok(())
            }
            Some(b'-' | b'0'..=b'9') => self.number(out),
            Some(b't') => self.literal("true", out),
            Some(b'f') => self.literal("false", out),
            Some(b'n') => self.literal("null", out),
            _ => Err(self.syntax()),
        }
    }

    fn literal(&mut self, text: &str, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
        self.expect(text)?;
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn array(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), CanonicalError> {
        self.expect("[")?;
        out.push(b'[');
        self.space();
        if self.peek() != Some(b']') {
            loop {
                self.space();
                self.value(out, depth)?;
                self.space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
                out.push(b',');
            }
        }
        self.expect("]")?;
        out.push(b']');
        Ok(())
    }

    fn object(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), CanonicalError> {
        self.expect("{")?;
        let mut members: Vec<(String, Vec<u8>)> = Vec::new();
        self.space();
        if self.peek() != Some(b'}') {
            loop {
                self.space();
                let name = self.string()?;
                self.space();
                self.expect(":")?;
                self.space();
                let mut member = Vec::new();
                self.value(&mut member, depth)?;
                members.push((name, member));
                self.space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.expect("}")?;
        members.sort_by(|a, b| a.0.cmp(&b.0));
        if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(CanonicalError::DuplicateName(self.at));
        }
        out.push(b'{');
        for (i, (name, member)) in members.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            write_string(name, out);
            out.push(b':');
            out.extend_from_slice(member);
        }
        out.push(b'}');
        Ok(())
    }

    /// Reads a string and decodes its escapes.
    fn string(&mut self) -> Result<String, CanonicalError> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            let start = self.at;
            while matches!(self.peek(), Some(c) if c >= 0x20 && c != b'"' && c != b'\\') {
                self.at += 1;
            }
            let plain = std::str::from_utf8(&self.bytes[start..self.at])
                .expect("cut at ASCII characters only");
            text.push_str(plain);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(self.syntax()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, CanonicalError> {
        let start = self.at;
        self.expect("\\")?;
        let c = match self.peek().ok_or(self.syntax())? {
            c @ (b'"' | b'\\' | b'/') => char::from(c),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                let first = self.hex()?;
                let code = match first {
                    0xD800..=0xDBFF => {
                        self.expect("\\u")
                            .map_err(|_| CanonicalError::Surrogate(start))?;
                        match self.hex()? {
                            second @ 0xDC00..=0xDFFF => {
                                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                            }
                            _ => return Err(CanonicalError::Surrogate(start)),
                        }
                    }
                    code => code,
                };
                return char::from_u32(code).ok_or(CanonicalError::Surrogate(start));
            }
            _ => return Err(self.syntax()),
        };
        self.at += 1;
        Ok(c)
    }

    fn hex(&mut self) -> Result<u32, CanonicalError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| char::from(c).to_digit(16));
            code = code << 4 | digit.ok_or(self.syntax())?;
            self.at += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> Result<&str, CanonicalError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if start == self.at {
            return Err(self.syntax());
        }
        Ok(std::str::from_utf8(&self.bytes[start..self.at]).expect("digits are ASCII"))
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let mut whole = self.digits()?.to_owned();
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(CanonicalError::Syntax(start));
        }
        let mut fraction = String::new();
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?.clone_into(&mut fraction);
        }
        let mut exponent = 0;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let down = self.peek() == Some(b'-');
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            // Beyond i64 the number is out of a double's range, or zero: saturating tells the same.
            exponent = self.digits()?.parse().unwrap_or(i64::MAX);
            if down {
                exponent = -exponent;
            }
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).expect("numbers are ASCII");

        // The decimal value: all digits as an integer, times ten to a power, without the zeros
        // at either end.
        let places = fraction.len() as i64;
        whole.push_str(&fraction);
        let digits = whole.trim_start_matches('0');
        if digits.is_empty() {
            out.push(b'0');
            return Ok(());
        }
        let is_integer = text
            .bytes()
            .skip(usize::from(negative))
            .all(|c| c.is_ascii_digit());
        if is_integer {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        let double: f64 = text.parse().map_err(|_| CanonicalError::Number(start))?;
        if !double.is_finite() || double == 0.0 {
            return Err(CanonicalError::Number(start));
        }
        let kept = digits.trim_end_matches('0');
        let power = exponent
            .saturating_sub(places)
            .saturating_add((digits.len() - kept.len()) as i64);
        match usize::try_from(power) {
            // A finite double has at most 309 digits before the point, so this is short.
            Ok(zeros) => {
                if negative {
                    out.push(b'-');
                }
                out.extend_from_slice(kept.as_bytes());
                out.resize(out.len() + zeros, b'0');
            }
            Err(_) => out.extend_from_slice(format!("{double:?}").as_bytes()),
        }
        Ok(())
    }
}

/// Writes `text` as a JSON string with the fewest escapes.
fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> Result<String, CanonicalError> {
        canonical(raw.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn committed_vectors_hold() {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../tests/vectors/canonical_json.json")).unwrap();
        let tests = vectors["tests"].as_array().unwrap();
        for test in tests {
            let raw = test["raw"].as_str().unwrap();
            match test["canonical"].as_str() {
                Some(expected) => assert_eq!(text(raw).as_deref(), Ok(expected), "{raw}"),
                None => assert!(text(raw).is_err(), "{raw} has no canonical form"),
            }
        }
        assert_eq!(tests.len(), 86, "vectors that ran");
    }

    #[test]
    fn a_canonical_text_is_its_own_canonical_text() {
        for raw in [
            r#"{"b":[1.50,-2e3,"\u00e9\n"],"a":{"z":null,"y":1e-7}}"#,
            "[1e300,0.1]",
        ] {
            let once = text(raw).unwrap();
            assert_eq!(text(&once).as_deref(), Ok(once.as_str()));
        }
    }

    #[test]
    fn invalid_utf8_is_refused() {
        assert_eq!(canonical(b"\"\xff\""), Err(CanonicalError::Utf8(1)));
        assert_eq!(canonical(b"\"\xed\xa0\x80\""), Err(CanonicalError::Utf8(1)));
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(text(&nested(128)).is_ok());
        assert_eq!(text(&nested(129)), Err(CanonicalError::Depth(128)));
        assert_eq!(
            text(&"[".repeat(1_000_000)),
            Err(CanonicalError::Depth(128))
        );
    }
}

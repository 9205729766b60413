use serde::{Deserialize, Deserializer};

/// A whole number in any JSON spelling: `3`, `3.0` and `3e0` are one integer to JSON Schema.
pub(super) fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let number = serde_json::Number::deserialize(from)?;
    let exact = number.as_u64().and_then(|n| u32::try_from(n).ok());
    let integral = number
        .as_f64()
        .filter(|n| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n));
    // Integral and in range by the line above, so the cast is exact.
    exact
        .or(integral.map(|n| n as u32))
        .ok_or_else(|| serde::de::Error::custom("expected a whole number, 0 or more"))
}

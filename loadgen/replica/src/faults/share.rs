use serde::Deserialize;

/// A share of the requests, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Share(f64);

impl Share {
    pub(crate) const ALL: Self = Self(1.0);

    pub(crate) const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = &'static str;

    fn try_from(share: f64) -> Result<Self, Self::Error> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err("a share of the requests must be from 0 to 1")
        }
    }
}

use std::fmt;
use std::str::FromStr;

/// In which form results are sent. Errors with a status of their own are JSON in every form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReplyForm {
    /// One JSON object. What a tool says before its result is dropped.
    Json,
    /// Server-sent events, for every result.
    Sse,
    /// JSON, unless there is something to say before the result.
    #[default]
    Auto,
}

impl ReplyForm {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Json, Self::Sse, Self::Auto];

    /// As options spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sse => "sse",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for ReplyForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ReplyForm {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|form| form.name() == name)
            .ok_or_else(|| "expected json, sse or auto".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for form in ReplyForm::ALL {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        assert!("JSON".parse::<ReplyForm>().is_err());
    }
}

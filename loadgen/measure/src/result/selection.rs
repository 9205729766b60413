/// What a figure is of, written in brackets behind it, as in `[round=2, kind=wizard]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) kind: Option<String>,
    pub(super) phase: Option<String>,
    pub(super) round: Option<u16>,
    pub(super) replica: Option<usize>,
}

impl Selection {
    /// The name in front of the brackets, and what stands in them.
    ///
    /// # Errors
    /// Says what is wrong with the brackets.
    pub(super) fn split(text: &str) -> Result<(&str, Self), String> {
        let Some((name, rest)) = text.split_once('[') else {
            return Ok((text, Self::default()));
        };
        let inside = rest
            .strip_suffix(']')
            .ok_or_else(|| "the bracket is not closed".to_owned())?;
        let mut of = Self::default();
        for part in inside.split(',') {
            let (key, value) = part
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()))
                .filter(|(_, value)| !value.is_empty())
                .ok_or_else(|| format!("`{}` is not of the form KEY=VALUE", part.trim()))?;
            of.add(key, value)?;
        }
        Ok((name.trim_end(), of))
    }

    pub(super) fn in_round(self, round: u16) -> Self {
        Self {
            round: Some(round),
            ..self
        }
    }

    fn add(&mut self, key: &str, value: &str) -> Result<(), String> {
        let twice = match key {
            "kind" => self.kind.replace(value.to_owned()).is_some(),
            "phase" => self.phase.replace(value.to_owned()).is_some(),
            "round" => self.round.replace(number(key, value)?).is_some(),
            "replica" => self.replica.replace(number(key, value)?).is_some(),
            _ => {
                return Err(format!(
                    "`{key}` is unknown; in brackets stand kind, phase, round and replica"
                ));
            }
        };
        if twice {
            return Err(format!("`{key}` stands there twice"));
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{key} is a whole number from 0 on, not `{value}`"))
}

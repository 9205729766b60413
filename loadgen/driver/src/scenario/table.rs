//! A table of the file is read from a table alone: serde itself would also take a list, for the values
//! of the keys in the order in which they are declared.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::{
    AnswersTable, BackOffTable, BudgetTable, ClientTable, DataTable, EventTable, FleetTable,
    HttpTable, LoadTable, PayloadTable, ReplicaTable, StageTable, ThinkTable, ThrottleTable,
    WorkflowTable,
};

/// Reads each type as its own derive says (`remote = "Self"`), from tables only.
macro_rules! tables {
    ($($table:ident),+) => {$(
        impl<'de> Deserialize<'de> for $table {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(Table(PhantomData::<Self>))
            }
        }

        impl<'de> Visitor<'de> for Table<$table> {
            type Value = $table;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                <$table>::deserialize(MapAccessDeserializer::new(map))
            }
        }
    )+};
}

struct Table<T>(PhantomData<T>);

tables!(
    AnswersTable,
    BackOffTable,
    BudgetTable,
    ClientTable,
    DataTable,
    EventTable,
    FleetTable,
    HttpTable,
    LoadTable,
    PayloadTable,
    ReplicaTable,
    StageTable,
    ThinkTable,
    ThrottleTable,
    WorkflowTable
);

#[cfg(test)]
mod tests {
    use crate::scenario::{Scenario, Source};

    #[test]
    fn a_list_is_no_table() {
        let load = "load = { rate_per_s = 1, duration_s = 1 }";
        let flow = "workflow = [{ tool = \"echo\" }]";
        for (lines, list) in [
            (format!("LIST\n{flow}"), "load"),
            (format!("LIST\n{load}\n{flow}"), "http"),
            (format!("LIST\n{load}\n{flow}"), "client"),
            (format!("LIST\n{load}\n{flow}"), "fleet"),
            (format!("LIST\n{load}\n{flow}"), "data"),
            (format!("LIST\n{load}\n{flow}"), "payload"),
            (format!("LIST\n{load}\n{flow}"), "throttle"),
            (format!("{load}\n{flow}\n[throttle]\nLIST"), "budget"),
            (format!("{load}\n{flow}\n[throttle]\nLIST"), "back_off"),
            (format!("{load}\n[[workflow]]\nLIST"), "answers"),
            (format!("{load}\n[[workflow]]\nLIST"), "think"),
        ] {
            // The second is what serde would read as the first key's value.
            for value in ["[]", "[\"2\"]", "[1, 2]"] {
                let wrong = format!("{list} = {value}");
                let source = Source::new("x.toml", lines.replace("LIST", &wrong));
                let error = Scenario::parse(&source).unwrap_err().to_string();
                let said = format!("invalid type: a list, expected a table in `{wrong}`");
                assert!(error.ends_with(&said), "{error}");
            }
        }
    }

    #[test]
    fn a_list_of_tables_holds_no_lists() {
        let flow = "[[workflow]]\ntool = \"echo\"";
        for text in [
            "load = {}\nworkflow = [[]]".to_owned(),
            format!("load = {{ stage = [[1]] }}\n{flow}"),
            format!("load = {{}}\nevent = [[1, \"kill\"]]\n{flow}"),
            format!("load = {{}}\nfleet = {{ replicas = 1, replica = [[1]] }}\n{flow}"),
        ] {
            let error = Scenario::parse(&Source::new("x.toml", text)).unwrap_err();
            let error = error.to_string();
            assert!(
                error.contains("invalid type: a list, expected a table in `"),
                "{error}"
            );
        }
    }
}

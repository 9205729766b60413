use loadgen_measure::{PayloadKind, RunResult};

use super::text::{Role, Text};
use crate::units::size_bytes;

/// How states and bodies grow, where there are states.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(payload) = &result.payload else {
        return;
    };
    text.heading("Payload growth");
    for kind in &payload.kinds {
        let mark = format!("{}:", kind.name);
        text.sentence(&mark, Role::Quiet, &kind.sentence);
        if let Some(line) = beside(kind) {
            text.sentence("", Role::Quiet, &line);
        }
    }
}

fn beside(kind: &PayloadKind) -> Option<String> {
    let bytes = kind.workflow_bytes?;
    let mut line = format!(
        "{}: {} of bodies a workflow, both ways",
        kind.name,
        size_bytes(bytes)
    );
    if let Some(service) = kind.service {
        let (slope, error) = (service.us_per_kib, service.standard_error);
        line += &match slope > 3.0 * error {
            true => {
                format!("; service time grows by {slope:.2} us a KiB (standard error {error:.2})")
            }
            false => format!(
                "; service time does not grow with size beyond the noise ({slope:.2} us a KiB, \
                 standard error {error:.2})"
            ),
        };
    }
    Some(line)
}

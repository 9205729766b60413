use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine that ran the load generator, as far as it can be read without privileges.
/// Everything that cannot be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Processor model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Processors that this process may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// Processor architecture, as in `x86_64`.
    pub architecture: String,
    /// Kernel release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Operating system, as in `Debian GNU/Linux 13 (trixie)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// Memory of the machine, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Load average over the minute before, in runnable processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average_1min: Option<f64>,
    /// Machine class: model, cores, architecture, memory in whole GiB, kernel series. Results of
    /// different classes must not be compared. Stable over reboots and small updates.
    pub fingerprint: String,
}

impl Environment {
    /// Reads this machine's.
    pub fn read() -> Self {
        let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self::from_texts(&Texts {
            cpuinfo: file("/proc/cpuinfo"),
            meminfo: file("/proc/meminfo"),
            loadavg: file("/proc/loadavg"),
            osrelease: file("/proc/sys/kernel/osrelease"),
            os: file("/etc/os-release"),
            cores: std::thread::available_parallelism().ok().map(Into::into),
        })
    }

    fn from_texts(texts: &Texts) -> Self {
        let cpu_model = value_of(&texts.cpuinfo, "model name", ':')
            .or_else(|| value_of(&texts.cpuinfo, "CPU part", ':'));
        let memory_bytes = value_of(&texts.meminfo, "MemTotal", ':')
            .and_then(|value| value.strip_suffix("kB")?.trim().parse::<u64>().ok())
            .map(|kib| kib * 1024);
        let kernel = Some(texts.osrelease.trim().to_owned()).filter(|text| !text.is_empty());
        let load_average_1min = texts
            .loadavg
            .split_whitespace()
            .next()
            .and_then(|number| number.parse::<f64>().ok())
            .filter(|number| number.is_finite());
        let unknown = || "unknown".to_owned();
        let fingerprint = format!(
            "{}; {} cores; {}; {} GiB; Linux {}",
            cpu_model.clone().unwrap_or_else(unknown),
            texts.cores.map_or_else(unknown, |cores| cores.to_string()),
            std::env::consts::ARCH,
            memory_bytes.map_or_else(unknown, |bytes| {
                (bytes as f64 / f64::from(1 << 30)).round().to_string()
            }),
            kernel.as_deref().map_or_else(unknown, kernel_series),
        );
        Self {
            cpu_model,
            cores: texts.cores,
            architecture: std::env::consts::ARCH.to_owned(),
            kernel,
            os: value_of(&texts.os, "PRETTY_NAME", '=')
                .map(|value| value.trim_matches('"').to_owned()),
            memory_bytes,
            load_average_1min,
            fingerprint,
        }
    }
}

#[derive(Default)]
struct Texts {
    cpuinfo: String,
    meminfo: String,
    loadavg: String,
    osrelease: String,
    os: String,
    cores: Option<usize>,
}

fn value_of(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().to_owned())
}

fn kernel_series(release: &str) -> String {
    let mut parts = release.split(['.', '-']);
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) => format!("{major}.{minor}"),
        _ => release.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_fields() {
        let environment = Environment::from_texts(&Texts {
            cpuinfo: "processor\t: 0\nmodel name\t: Example 3000\n".into(),
            meminfo: "MemTotal:        8123456 kB\nMemFree: 1 kB\n".into(),
            loadavg: "0.52 0.58 0.59 1/467 12345\n".into(),
            osrelease: "6.12.9-amd64\n".into(),
            os: "NAME=x\nPRETTY_NAME=\"Example OS 1\"\n".into(),
            cores: Some(2),
        });
        assert_eq!(environment.cpu_model.as_deref(), Some("Example 3000"));
        assert_eq!(environment.memory_bytes, Some(8_123_456 * 1024));
        assert_eq!(environment.load_average_1min, Some(0.52));
        assert_eq!(environment.os.as_deref(), Some("Example OS 1"));
        let fingerprint = &environment.fingerprint;
        assert!(fingerprint.starts_with("Example 3000; 2 cores; "));
        assert!(
            fingerprint.ends_with("; 8 GiB; Linux 6.12"),
            "{fingerprint}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_absent() {
        let environment = Environment::from_texts(&Texts::default());
        assert_eq!(environment.cpu_model, None);
        assert_eq!(environment.memory_bytes, None);
        assert!(
            environment
                .fingerprint
                .starts_with("unknown; unknown cores")
        );
    }
}

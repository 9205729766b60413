use anyhow::anyhow;
use loadgen_driver::FleetPlan;
use loadgen_measure::Contender;
use loadgen_seal::{Algorithm, Backend, Protection};

use crate::failure::Failure;

/// An algorithm and who computes it.
pub(super) type Pair = (Algorithm, Backend);

/// Every algorithm asked for with every backend asked for that has it.
///
/// # Errors
/// When an algorithm or backend cannot be run here, or fewer than two pairs are left.
pub(super) fn choose(
    algorithms: &[Algorithm],
    backends: &[Backend],
    fleet: &FleetPlan,
) -> Result<Vec<Pair>, Failure> {
    let algorithms = match algorithms {
        [] => vec![usual(backends, fleet)?],
        some => without_repeats(some),
    };
    let asked = without_repeats(backends);
    let mut pairs: Vec<Pair> = Vec::new();
    for &algorithm in &algorithms {
        super::super::scenario::usable(algorithm).map_err(|e| Failure::usage(anyhow!(e)))?;
        let here = Backend::available_for(algorithm);
        let chosen = match &asked[..] {
            [] => here,
            // As they were named, so that the first is the base.
            some => some.iter().copied().filter(|b| here.contains(b)).collect(),
        };
        pairs.extend(chosen.into_iter().map(|backend| (algorithm, backend)));
    }
    let idle = |backend: &&Backend| !pairs.iter().any(|(_, has)| has == *backend);
    if let Some(backend) = asked.iter().find(idle) {
        return Err(Failure::usage(anyhow!(
            "backend {backend} has no {} here; {}",
            names(&algorithms),
            who_has(&algorithms)
        )));
    }
    if pairs.len() < 2 {
        return Err(Failure::usage(anyhow!(
            "there is nothing to compare {} with: name another --backend or --algorithm; {}",
            pairs
                .first()
                .map_or_else(String::new, |(a, b)| format!("{a} by {b}")),
            who_has(&algorithms)
        )));
    }
    Ok(pairs)
}

/// The same for the result.
pub(super) fn named(pairs: &[Pair]) -> Vec<Contender> {
    let named = |(algorithm, backend): &Pair| Contender {
        algorithm: algorithm.name().to_owned(),
        backend: backend.name().to_owned(),
        failed: None,
    };
    pairs.iter().map(named).collect()
}

/// The scenario's algorithm; else the default, unless a backend that was asked for does not have it.
fn usual(backends: &[Backend], fleet: &FleetPlan) -> Result<Algorithm, Failure> {
    if let Some(name) = &fleet.algorithm {
        return name.parse().map_err(Failure::usage);
    }
    let all_have = |algorithm: Algorithm| {
        let here = Backend::available_for(algorithm);
        backends.iter().all(|backend| here.contains(backend))
    };
    Ok(match all_have(Algorithm::DEFAULT) {
        true => Algorithm::DEFAULT,
        false => Algorithm::Aes256Gcm,
    })
}

fn without_repeats<T: Copy + PartialEq>(all: &[T]) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(one) {
            seen.push(*one);
        }
    }
    seen
}

fn names<T: ToString>(all: &[T]) -> String {
    let names: Vec<String> = all.iter().map(T::to_string).collect();
    names.join(", ")
}

/// Who has what, for messages.
fn who_has(algorithms: &[Algorithm]) -> String {
    let shown = |algorithm: &&Algorithm| algorithm.protection() != Protection::Nothing;
    let lists = algorithms.iter().filter(shown).map(|algorithm| {
        let backends = Backend::available_for(*algorithm);
        format!("{algorithm} is in {}", names(&backends))
    });
    lists.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(algorithms: &[Algorithm], backends: &[Backend]) -> Result<Vec<Pair>, String> {
        let plain = FleetPlan::plain(2);
        choose(algorithms, backends, &plain).map_err(|e| e.to_string())
    }

    #[test]
    fn without_a_word_all_that_have_the_default_are_compared() {
        let pairs = chosen(&[], &[]).unwrap();
        let default = |b| (Algorithm::Xaes256Gcm, b);
        let here = Backend::available_for(Algorithm::Xaes256Gcm);
        assert_eq!(pairs, here.into_iter().map(default).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_that_was_named_comes_first() {
        let asked = [Backend::RustCrypto, Backend::Ring, Backend::RustCrypto];
        let pairs = chosen(&[], &asked).unwrap();
        let order: Vec<Backend> = pairs.into_iter().map(|(_, backend)| backend).collect();
        assert_eq!(order, [Backend::RustCrypto, Backend::Ring]);
    }

    #[test]
    fn algorithms_are_compared_where_a_backend_has_both() {
        let algorithms = [Algorithm::Aes256Gcm, Algorithm::Aes256GcmSiv];
        let pairs = chosen(&algorithms, &[Backend::Ring, Backend::RustCrypto]).unwrap();
        assert_eq!(
            pairs,
            [
                (Algorithm::Aes256Gcm, Backend::Ring),
                (Algorithm::Aes256Gcm, Backend::RustCrypto),
                (Algorithm::Aes256GcmSiv, Backend::RustCrypto),
            ]
        );
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let siv = chosen(&[Algorithm::Aes256GcmSiv], &[Backend::Ring]).unwrap_err();
        assert!(
            siv.starts_with("backend ring has no aes-256-gcm-siv here"),
            "{siv}"
        );
        assert!(siv.contains("is in aws-lc-rs, rustcrypto"), "{siv}");
        let alone = chosen(&[], &[Backend::Ring]).unwrap_err();
        assert!(
            alone.contains("nothing to compare xaes-256-gcm by ring with"),
            "{alone}"
        );
    }
}

//! Sealers and bindings shared by the tests.

use loadgen_seal::*;

pub(crate) const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
pub(crate) const TTL_S: u32 = 300;
pub(crate) const CLAIMS: Claims = Claims {
    deadline: 1_800_001_000,
    round: 3,
};

/// Every algorithm that protects anything, with every backend that computes it here.
pub(crate) fn pairs() -> Vec<(Algorithm, Backend)> {
    let all: Vec<_> = Algorithm::ALL
        .iter()
        .filter(|a| a.protection() > Protection::Nothing)
        .flat_map(|&a| Backend::available_for(a).into_iter().map(move |b| (a, b)))
        .collect();
    assert!(!all.is_empty(), "no backend was built");
    all
}

pub(crate) fn key(id: u8) -> Key {
    let material: Vec<u8> = (0..32).map(|i| i * 5 + id).collect();
    Key::new(KeyId(id), &material, None).unwrap()
}

pub(crate) fn config(algorithm: Algorithm, backend: Backend) -> Config {
    let ttl = Ttl::try_from(u64::from(TTL_S)).unwrap();
    let ring = KeyRing::single(key(1));
    Config {
        allow_insecure: true,
        ..Config::new(algorithm, backend, ring, ttl)
    }
}

pub(crate) fn sealer(algorithm: Algorithm, backend: Backend) -> Sealer {
    Sealer::new(&config(algorithm, backend)).unwrap()
}

pub(crate) fn fields() -> BindingFields<'static> {
    BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments: ArgumentsDigest::exact(br#"{"harbour":"Brest","length_m":31}"#),
        principal: Some("mara"),
    }
}

pub(crate) fn binding() -> Binding {
    Binding::new(&fields())
}

/// State bytes that repeat nowhere within a block.
pub(crate) fn state(bytes: usize) -> Vec<u8> {
    (0..bytes)
        .map(|i| (i ^ (i >> 8) ^ (i >> 3)) as u8)
        .collect()
}

pub(crate) fn reason(sealer: &Sealer, token: impl AsRef<[u8]>) -> Reason {
    sealer
        .open(&binding(), token.as_ref(), NOW)
        .unwrap_err()
        .reason()
}

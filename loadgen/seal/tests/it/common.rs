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

pub(crate) const BASE64URL: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A codec of its own, so that the tests do not lean on the one under test.
pub(crate) fn base64url(raw: &[u8]) -> String {
    let mut text = String::new();
    for group in raw.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b));
        let bits = bits << (8 * (3 - group.len()));
        for i in 0..=group.len() {
            text.push(char::from(BASE64URL[(bits >> (18 - 6 * i) & 63) as usize]));
        }
    }
    text
}

/// The bytes of a canonical text.
pub(crate) fn base64url_bytes(text: &str) -> Vec<u8> {
    let (mut bits, mut held, mut raw) = (0u32, 0, Vec::new());
    for c in text.bytes() {
        let value = BASE64URL.iter().position(|&b| b == c).unwrap();
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            raw.push((bits >> held) as u8);
        }
    }
    raw
}

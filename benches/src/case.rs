use loadgen_seal::{
    Algorithm, ArgumentsDigest, Backend, Binding, BindingFields, Claims, Config, Key, KeyId,
    KeyRing, RawCipher, Sealer, Ttl, UnixSeconds,
};

/// State sizes in bytes, 64 B to 1 MiB.
pub const SIZES: [usize; 8] = [
    64,
    256,
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
];

/// When everything happens.
pub const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

/// The claims of every token.
pub const CLAIMS: Claims = Claims {
    deadline: 1_800_000_900,
    round: 1,
};

/// The arguments of the request, 91 bytes.
pub const ARGUMENTS: &[u8] =
    br#"{"harbour":"Brest","berth":"C-14","length_m":31,"nights":3000,"services":["water","power"]}"#;

/// One algorithm by one backend.
pub struct Case {
    /// What protects.
    pub algorithm: Algorithm,
    /// Who computes.
    pub backend: Backend,
    /// The envelope.
    pub sealer: Sealer,
    /// The cipher under it, for reference.
    pub raw: RawCipher,
    /// A nonce for the cipher, of the algorithm's length.
    pub nonce: Vec<u8>,
}

impl Case {
    /// Schedules fixed keys.
    pub fn new(algorithm: Algorithm, backend: Backend) -> Self {
        let key = Key::new(KeyId(1), &[0x42; 32], None).expect("32 bytes are enough");
        let ttl = Ttl::try_from(300u64).expect("300 s are a life");
        let config = Config::new(algorithm, backend, KeyRing::single(key), ttl);
        let raw_key = vec![0x17; algorithm.key_bytes()];
        Self {
            algorithm,
            backend,
            sealer: Sealer::new(&config).expect("the backend is available for the algorithm"),
            raw: RawCipher::new(algorithm, backend, &raw_key)
                .expect("the backend is available for the algorithm"),
            nonce: vec![7; algorithm.nonce_bytes()],
        }
    }

    /// A token of a state of `bytes` bytes.
    pub fn token(&self, bytes: usize) -> String {
        self.sealer
            .seal(&binding(), CLAIMS, &state(bytes), NOW)
            .expect("the state fits the default limit")
    }

    /// The name in benchmark ids: `aes-256-gcm/ring`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.algorithm, self.backend)
    }
}

/// Every algorithm that protects anything, by every backend of this build and processor.
pub fn cases() -> Vec<Case> {
    Algorithm::ALL
        .iter()
        .filter(|&&a| a != Algorithm::None)
        .flat_map(|&a| {
            Backend::available_for(a)
                .into_iter()
                .map(move |b| Case::new(a, b))
        })
        .collect()
}

/// The request that every token is bound to.
pub fn binding() -> Binding {
    Binding::new(&BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments: ArgumentsDigest::exact(ARGUMENTS),
        principal: Some("mara.quill@harbour.example"),
    })
}

/// A state of `bytes` bytes.
pub fn state(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i ^ (i >> 7)) as u8).collect()
}

/// Panics unless every backend of an algorithm opens what every other sealed: times of backends that
/// do different things are not compared.
pub fn check_agreement(cases: &[Case], bytes: usize) {
    for minting in cases {
        let token = minting.token(bytes);
        for opening in cases.iter().filter(|c| c.algorithm == minting.algorithm) {
            let opened = opening
                .sealer
                .open(&binding(), token.as_bytes(), NOW)
                .unwrap_or_else(|_| panic!("{} opens {}", opening.name(), minting.name()));
            assert!(
                opened.state == state(bytes),
                "{} opens another state",
                opening.name()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cases_agree() {
        let cases = cases();
        assert!(cases.len() >= 8, "{} cases", cases.len());
        check_agreement(&cases, 300);
    }
}

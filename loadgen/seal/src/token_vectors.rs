//! Committed tokens with fixed nonces: the format does not drift, on any backend.

use serde_json::Value;

use crate::*;

#[test]
fn committed_tokens_are_made_and_opened_by_every_backend() {
    let vectors: Value =
        serde_json::from_str(include_str!("../tests/vectors/tokens.json")).unwrap();
    let mut ran = 0;
    for test in vectors["tests"].as_array().unwrap() {
        let text = |name: &str| test[name].as_str().unwrap().to_owned();
        let number = |name: &str| test[name].as_u64().unwrap();
        let algorithm: Algorithm = text("algorithm").parse().unwrap();
        let binding = Binding::new(&BindingFields {
            audience: &text("audience"),
            method: &text("method"),
            target: &text("target"),
            arguments: ArgumentsDigest::canonical(text("arguments").as_bytes()).unwrap(),
            principal: test["principal"].as_str(),
        });
        let claims = Claims {
            deadline: number("deadline").try_into().unwrap(),
            round: number("round").try_into().unwrap(),
        };
        let now = UnixSeconds(number("now"));
        let nonce = encoding_to_bytes(&text("nonce"));
        for backend in Backend::available_for(algorithm) {
            let sealer = Sealer::new(&Config {
                allow_insecure: true,
                ..Config::new(
                    algorithm,
                    backend,
                    KeyRing::parse(&text("key")).unwrap(),
                    Ttl::try_from(number("ttl_s")).unwrap(),
                )
            })
            .unwrap();
            let state = text("state");
            let token = sealer.seal_with_nonce(&binding, claims, state.as_bytes(), now, &nonce);
            assert_eq!(token, text("token"), "{algorithm} by {backend}");
            let opened = sealer.open(&binding, token.as_bytes(), now).unwrap();
            assert_eq!((opened.claims, opened.state), (claims, state.into_bytes()));
            ran += 1;
        }
    }
    let expected: usize = Algorithm::ALL
        .iter()
        .map(|&a| Backend::available_for(a).len())
        .sum();
    assert_eq!(ran, 2 * expected, "two vectors for each algorithm");
}

fn encoding_to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = vec![0; encoding::decode_room(text.len())];
    let len = encoding::decode(text.as_bytes(), &mut bytes).unwrap();
    bytes.truncate(len);
    bytes
}

//! Published vectors through every backend, and their invalid cases through the token path too.

use std::collections::BTreeMap;

use hkdf::Hkdf;
use loadgen_seal::*;
use serde_json::Value;
use sha2::Sha256;

use crate::common::*;

fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2));
    let digit = |c: u8| char::from(c).to_digit(16).unwrap() as u8;
    text.as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn bytes(test: &Value, name: &str) -> Vec<u8> {
    hex(test[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} is missing: {test}")))
}

fn tests(file: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(file).unwrap();
    file["tests"].as_array().unwrap().clone()
}

/// A sealed message: nonce, associated data, text or ciphertext, tag.
struct Message {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
    tag: Vec<u8>,
}

fn opens(cipher: &RawCipher, m: &Message) -> Option<Vec<u8>> {
    let mut text = m.text.clone();
    cipher
        .open(&m.nonce, &m.aad, &mut text, &m.tag)
        .ok()
        .map(|()| text)
}

fn seals(cipher: &RawCipher, nonce: &[u8], aad: &[u8], msg: &[u8]) -> Option<(Vec<u8>, [u8; 16])> {
    let (mut text, mut tag) = (msg.to_vec(), [0; 16]);
    cipher
        .seal(nonce, aad, &mut text, &mut tag)
        .ok()
        .map(|()| (text, tag))
}

/// The message as the body of a token with a good header: refused by the whole path too.
fn refused_as_token(sealer: &Sealer, m: &Message) {
    let expiry_s = (NOW.0 as u32 + TTL_S).to_be_bytes();
    let header = [0x10 | sealer.algorithm().id(), 1];
    let raw = [&header[..], &expiry_s, &m.nonce, &m.text, &m.tag].concat();
    let reason = reason(sealer, base64url(&raw));
    assert!(matches!(reason, Reason::Tag | Reason::Size), "{reason}");
}

/// How many tests each backend ran: valid ones, and invalid ones.
type Ran = BTreeMap<Backend, (usize, usize)>;

fn wycheproof_aead(algorithm: Algorithm, file: &str) -> Ran {
    let mut ran = Ran::new();
    for backend in Backend::available_for(algorithm) {
        let token_path = sealer(algorithm, backend);
        let (valid, invalid) = ran.entry(backend).or_default();
        for test in tests(file) {
            let id = &test["tcId"];
            let cipher = RawCipher::new(algorithm, backend, &bytes(&test, "key")).unwrap();
            let m = Message {
                nonce: bytes(&test, "iv"),
                aad: bytes(&test, "aad"),
                text: bytes(&test, "ct"),
                tag: bytes(&test, "tag"),
            };
            let msg = bytes(&test, "msg");
            let sealed = seals(&cipher, &m.nonce, &m.aad, &msg);
            if test["result"] == "valid" {
                let (text, tag) = sealed.unwrap();
                assert_eq!(
                    (text, &tag[..]),
                    (m.text.clone(), &m.tag[..]),
                    "{backend} {id}"
                );
                assert_eq!(opens(&cipher, &m), Some(msg), "{backend} {id}");
                *valid += 1;
            } else {
                assert_eq!(opens(&cipher, &m), None, "{backend} {id}");
                let made = sealed.map(|(text, tag)| (text, tag.to_vec()));
                assert_ne!(
                    made,
                    Some((m.text.clone(), m.tag.clone())),
                    "{backend} {id}"
                );
                refused_as_token(&token_path, &m);
                *invalid += 1;
            }
        }
    }
    ran
}

fn assert_ran(algorithm: Algorithm, ran: &Ran, each: (usize, usize)) {
    let expected = Backend::available_for(algorithm)
        .into_iter()
        .map(|b| (b, each))
        .collect();
    assert_eq!(*ran, expected);
}

#[test]
fn wycheproof_aes_256_gcm() {
    let file = include_str!("../vectors/wycheproof_aes_gcm.json");
    assert_ran(
        Algorithm::Aes256Gcm,
        &wycheproof_aead(Algorithm::Aes256Gcm, file),
        (39, 27),
    );
}

#[test]
fn wycheproof_aes_256_gcm_siv() {
    let file = include_str!("../vectors/wycheproof_aes_gcm_siv.json");
    let ran = wycheproof_aead(Algorithm::Aes256GcmSiv, file);
    assert_ran(Algorithm::Aes256GcmSiv, &ran, (69, 34));
}

#[test]
fn wycheproof_chacha20_poly1305() {
    let file = include_str!("../vectors/wycheproof_chacha20_poly1305.json");
    let ran = wycheproof_aead(Algorithm::ChaCha20Poly1305, file);
    assert_ran(Algorithm::ChaCha20Poly1305, &ran, (256, 69));
}

#[test]
fn wycheproof_xchacha20_poly1305() {
    let file = include_str!("../vectors/wycheproof_xchacha20_poly1305.json");
    let ran = wycheproof_aead(Algorithm::XChaCha20Poly1305, file);
    assert_ran(Algorithm::XChaCha20Poly1305, &ran, (246, 69));
}

#[test]
fn wycheproof_aegis_128l() {
    let file = include_str!("../vectors/wycheproof_aegis128L.json");
    assert_ran(
        Algorithm::Aegis128L,
        &wycheproof_aead(Algorithm::Aegis128L, file),
        (367, 112),
    );
}

#[test]
fn wycheproof_hmac_sha256() {
    let file = include_str!("../vectors/wycheproof_hmac_sha256.json");
    let mut ran = Ran::new();
    for backend in Backend::available_for(Algorithm::HmacSha256) {
        let token_path = sealer(Algorithm::HmacSha256, backend);
        let (valid, invalid) = ran.entry(backend).or_default();
        // Tokens have keys of 32 bytes: HKDF makes them so.
        for test in tests(file).iter().filter(|t| bytes(t, "key").len() == 32) {
            let cipher =
                RawCipher::new(Algorithm::HmacSha256, backend, &bytes(test, "key")).unwrap();
            let (nonce, aad) = (vec![], vec![]);
            let m = Message {
                nonce,
                aad,
                text: bytes(test, "msg"),
                tag: bytes(test, "tag"),
            };
            if test["result"] == "valid" {
                assert_eq!(opens(&cipher, &m), Some(m.text.clone()));
                // The message may as well be the associated data.
                let m = Message {
                    aad: m.text.clone(),
                    text: vec![],
                    ..m
                };
                assert_eq!(opens(&cipher, &m), Some(vec![]));
                let (_, tag) = seals(&cipher, &[], &m.aad, &[]).unwrap();
                assert_eq!(tag[..], m.tag);
                *valid += 1;
            } else {
                assert_eq!(opens(&cipher, &m), None);
                refused_as_token(&token_path, &m);
                *invalid += 1;
            }
        }
    }
    assert_ran(Algorithm::HmacSha256, &ran, (27, 54));
}

#[test]
fn wycheproof_hkdf_sha256() {
    let (mut valid, mut invalid) = (0, 0);
    for test in tests(include_str!("../vectors/wycheproof_hkdf_sha256.json")) {
        let hkdf = Hkdf::<Sha256>::new(Some(&bytes(&test, "salt")), &bytes(&test, "ikm"));
        let mut okm = vec![0; test["size"].as_u64().unwrap().try_into().unwrap()];
        let expanded = hkdf.expand(&bytes(&test, "info"), &mut okm);
        if test["result"] == "valid" {
            expanded.unwrap();
            assert_eq!(okm, bytes(&test, "okm"));
            valid += 1;
        } else {
            assert!(expanded.is_err(), "{test}");
            invalid += 1;
        }
    }
    assert_eq!((valid, invalid), (83, 3));
}

#[test]
fn c2sp_xaes_vectors() {
    let file = include_str!("../vectors/c2sp_xaes.json");
    for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
        let all = tests(file);
        assert_eq!(all.len(), 2);
        for test in &all {
            let cipher =
                RawCipher::new(Algorithm::Xaes256Gcm, backend, &bytes(test, "key")).unwrap();
            let (nonce, aad, msg) = (bytes(test, "nonce"), bytes(test, "aad"), bytes(test, "msg"));
            let (text, tag) = seals(&cipher, &nonce, &aad, &msg).unwrap();
            assert_eq!(
                [&text[..], &tag].concat(),
                bytes(test, "sealed"),
                "{backend}"
            );
            let m = Message {
                nonce,
                aad,
                text,
                tag: tag.to_vec(),
            };
            assert_eq!(opens(&cipher, &m), Some(msg), "{backend}");
        }
    }
}

/// The accumulated test of the C2SP document: 10 000 messages from one SHAKE-128 stream, all
/// ciphertexts hashed with another.
#[test]
fn c2sp_xaes_accumulated() {
    use shake::digest::{ExtendableOutput, Update, XofReader};
    let file: Value = serde_json::from_str(include_str!("../vectors/c2sp_xaes.json")).unwrap();
    for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
        let mut stream = shake::Shake128::default().finalize_xof();
        let mut read = |len: usize| {
            let mut bytes = vec![0; len];
            stream.read(&mut bytes);
            bytes
        };
        let mut hash = shake::Shake128::default();
        for _ in 0..10_000 {
            let (key, nonce) = (read(32), read(24));
            let len = read(1)[0].into();
            let msg = read(len);
            let len = read(1)[0].into();
            let aad = read(len);
            let cipher = RawCipher::new(Algorithm::Xaes256Gcm, backend, &key).unwrap();
            let (text, tag) = seals(&cipher, &nonce, &aad, &msg).unwrap();
            hash.update(&text);
            hash.update(&tag);
        }
        let mut digest = [0; 32];
        hash.finalize_xof().read(&mut digest);
        assert_eq!(digest[..], bytes(&file, "accumulated_10000"), "{backend}");
    }
}

#[test]
fn xaes_agrees_with_the_reference_crate() {
    use xaes_256_gcm::Xaes256Gcm;
    use xaes_256_gcm::aead::{AeadInOut, KeyInit};
    for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
        for n in 0..=200u8 {
            let (key, nonce) = ([n; 32], [n ^ 0x5A; 24]);
            let msg = state(usize::from(n) * 3);
            let cipher = RawCipher::new(Algorithm::Xaes256Gcm, backend, &key).unwrap();
            let (text, tag) = seals(&cipher, &nonce, &msg, &msg).unwrap();
            let mut expected = msg.clone();
            let expected_tag = Xaes256Gcm::new(&key.into())
                .encrypt_inout_detached(&nonce.into(), &msg, expected.as_mut_slice().into())
                .unwrap();
            assert_eq!((text, &tag[..]), (expected, &expected_tag[..]), "{backend}");
        }
    }
}

#[test]
fn aegis_draft_vectors() {
    for backend in Backend::available_for(Algorithm::Aegis128L) {
        let (mut valid, mut invalid) = (0, 0);
        let all = tests(include_str!("../vectors/aegis_draft_128l.json"));
        for test in all.iter().filter(|t| t.get("key").is_some()) {
            let cipher =
                RawCipher::new(Algorithm::Aegis128L, backend, &bytes(test, "key")).unwrap();
            let m = Message {
                nonce: bytes(test, "nonce"),
                aad: bytes(test, "ad"),
                text: bytes(test, "ct"),
                tag: bytes(test, "tag128"),
            };
            if test.get("error").is_some() {
                assert_eq!(opens(&cipher, &m), None);
                invalid += 1;
            } else {
                let msg = bytes(test, "msg");
                let (text, tag) = seals(&cipher, &m.nonce, &m.aad, &msg).unwrap();
                assert_eq!((&text, &tag[..]), (&m.text, &m.tag[..]));
                assert_eq!(opens(&cipher, &m), Some(msg));
                valid += 1;
            }
        }
        assert_eq!((valid, invalid), (5, 4));
    }
}

#[test]
fn blake3_keyed_vectors() {
    let file: Value = serde_json::from_str(include_str!("../vectors/blake3_keyed.json")).unwrap();
    let key = file["key"].as_str().unwrap().as_bytes();
    for backend in Backend::available_for(Algorithm::Blake3) {
        let cipher = RawCipher::new(Algorithm::Blake3, backend, key).unwrap();
        let all = file["tests"].as_array().unwrap();
        for test in all {
            let len = test["input_len"].as_u64().unwrap();
            let input: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            // Wherever associated data end and text begins.
            let (aad, text) = input.split_at(input.len() / 3);
            let (_, tag) = seals(&cipher, &[], aad, text).unwrap();
            assert_eq!(tag[..], bytes(test, "keyed_hash")[..16], "{len} bytes");
        }
        assert_eq!(all.len(), 35);
    }
}

//! Keys that are the same in every run, and an SSH agent that says what a test wants.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use ssh_key::PrivateKey;
use ssh_key::private::{Ed25519Keypair, RsaKeypair};
use ssh_key::rand_core::{CryptoRng, RngCore};
use sshsig::Key;

/// What the signatures of the tests are made for.
pub(crate) const NAMESPACE: &str = "regreen-dds";

/// The same Ed25519 key for the same seed.
pub(crate) fn private(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

pub(crate) fn public(private: &PrivateKey) -> Key {
    Key::parse(&private.public_key().to_openssh().unwrap()).unwrap()
}

/// An RSA key of 2048 bits out of two primes. It protects nothing.
pub(crate) fn rsa_key() -> PrivateKey {
    let prime = |hex: &[u8]| rsa::BigUint::parse_bytes(hex, 16).unwrap();
    let p = prime(
        b"EE31547F601B6D91298D136F2CBBED485E6FA4C5F016165124DEC94AF6A1B201E48BBDE62465E052CFB0C7A2DEAAB94C\
          B219C5B1EE06F89AE8C0C33CB427D554E02E4CF23CB1FD79CAF1E2C007C7757F5A94E589C34B2D614DBB9FEDB41C40E5\
          8D99B216943CEE183C370196ADDCA87A1AD3D011A4319E6C8FAAEF2E328305DF",
    );
    let q = prime(
        b"F205302C16B12C02869CD1B07553D69A5A57E47A438EBFFEF683485A2E858FF3766518086D1181AE56BDE568247A4131\
          B6E7F6EB4258F7D4E91B59FC083ADE086C0997254E36CE7414EFFD9B7A2A23E091275770C4F31009B9CF6DC4D6A511C3\
          2055E24A77FBC324070A0EAAFA619E4DF82E08BF13FE8FF49EE7B63483F9F28F",
    );
    let key = rsa::RsaPrivateKey::from_p_q(p, q, rsa::BigUint::from(65_537_u32)).unwrap();
    PrivateKey::from(RsaKeypair::try_from(&key).unwrap())
}

/// Random numbers that are the same in every run.
pub(crate) struct Seeded(blake3::OutputReader);

impl Seeded {
    pub(crate) fn new(seed: &str) -> Seeded {
        Seeded(blake3::Hasher::new().update(seed.as_bytes()).finalize_xof())
    }
}

impl CryptoRng for Seeded {}

impl RngCore for Seeded {
    fn next_u32(&mut self) -> u32 {
        ssh_key::rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        ssh_key::rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), ssh_key::rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// What a fake agent answers when it is asked to sign.
pub(crate) type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send>;

/// Starts an agent that holds one key and answers two requests, one for its keys and one for a signature.
pub(crate) fn fake_agent(folder: &Path, blob: Vec<u8>, answer: Answer) -> PathBuf {
    let path = folder.join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for _ in 0..2 {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let request = receive(&mut stream);
            let mut reply = Vec::new();
            match request.first() {
                Some(11) => {
                    reply.extend([12, 0, 0, 0, 1]);
                    put(&mut reply, &blob);
                    put(&mut reply, b"comment");
                }
                Some(13) => {
                    let (_, rest) = take(&request[1..]);
                    let (data, _) = take(rest);
                    reply.push(14);
                    put(&mut reply, &answer(data));
                }
                _ => reply.push(5),
            }
            let mut framed = Vec::new();
            put(&mut framed, &reply);
            let _ = stream.write_all(&framed);
        }
    });
    path
}

fn receive(stream: &mut UnixStream) -> Vec<u8> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut request = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut request).unwrap();
    request
}

pub(crate) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).unwrap().to_be_bytes());
    out.extend(bytes);
}

fn take(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = bytes.split_first_chunk::<4>().unwrap();
    rest.split_at(u32::from_be_bytes(*length) as usize)
}

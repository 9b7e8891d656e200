//! What a hostile agent may answer.

use std::io::Cursor;

use super::*;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILVMrfl7JGYWxSY/xgHVPiCGCsVJJORqMHU6Y2WoZvnS";

/// A connection whose other side has said everything already.
struct Said {
    answer: Cursor<Vec<u8>>,
    asked: Vec<u8>,
}

impl Read for Said {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.answer.read(buffer)
    }
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.asked.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn said(answer: &[u8]) -> Said {
    let mut message = Vec::new();
    put(&mut message, answer);
    Said { answer: Cursor::new(message), asked: Vec::new() }
}

fn identities(blobs: &[&[u8]]) -> Vec<u8> {
    let mut answer = vec![IDENTITIES_ANSWER];
    answer.extend(u32::try_from(blobs.len()).unwrap().to_be_bytes());
    for blob in blobs {
        put(&mut answer, blob);
        put(&mut answer, b"a comment");
    }
    answer
}

#[test]
fn keys_of_unknown_kinds_are_passed_over() {
    let key = Key::parse(KEY).unwrap();
    let answer = identities(&[b"nonsense", &key.blob(), b""]);
    assert_eq!(list(&mut said(&answer)).unwrap(), [(key, "a comment".to_owned())]);
}

#[test]
fn answers_that_break_the_protocol_are_errors_and_no_panic() {
    let key = Key::parse(KEY).unwrap();
    let whole = identities(&[&key.blob()]);
    for end in 1..whole.len() {
        assert!(list(&mut said(&whole[..end])).is_err(), "cut at {end}");
    }
    let huge_count = [&[IDENTITIES_ANSWER][..], &[0xff; 4]].concat();
    let long_string = [&[IDENTITIES_ANSWER][..], &[0, 0, 0, 1], &[0xff; 4]].concat();
    for answer in [&[][..], &[5], &huge_count, &long_string] {
        assert!(list(&mut said(answer)).is_err(), "{answer:?}");
    }
    for answer in [&[5][..], &[SIGN_RESPONSE], &[SIGN_RESPONSE, 0, 0, 0, 1, 7, 7]] {
        assert!(ask_to_sign(&mut said(answer), &key, b"bytes").is_err(), "{answer:?}");
    }
    // A length that would take all memory, and nothing after it.
    let mut endless = Said { answer: Cursor::new(vec![0xff; 4]), asked: Vec::new() };
    assert!(matches!(list(&mut endless), Err(AgentError::Answer)));
}

#[test]
fn a_request_is_framed_and_names_key_and_bytes() {
    let key = Key::parse(KEY).unwrap();
    let mut answer = vec![SIGN_RESPONSE];
    put(&mut answer, b"signature");
    let mut connection = said(&answer);
    assert_eq!(ask_to_sign(&mut connection, &key, b"bytes").unwrap(), b"signature");
    let mut body = vec![SIGN_REQUEST];
    put(&mut body, &key.blob());
    put(&mut body, b"bytes");
    body.extend([0; 4]);
    let mut framed = Vec::new();
    put(&mut framed, &body);
    assert_eq!(connection.asked, framed);
}

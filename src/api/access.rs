//! Limits on the calls that a surface accepts: the API token, and how large a request may be.
//! [`browser`](super::browser) checks the page on whose behalf a browser calls.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, header::AUTHORIZATION};
use subtle::ConstantTimeEq;
use thiserror::Error as ThisError;

use super::browser::Hosts;
use crate::{
    base::memory::MemoryBudget,
    wire::error::{Error, WrongToken},
};

/// The header that carries the token, over both HTTP and gRPC.
static TOKEN: HeaderName = HeaderName::from_static("dapr-api-token");
/// The header that carries the key of Azure's variant of OpenAI's API.
static AZURE_KEY: HeaderName = HeaderName::from_static("api-key");

/// The rules for who may call a sidecar.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The token that calls must carry. `None` admits calls without a token.
    pub token: Option<ApiToken>,
    /// The names by which the sidecar may be called.
    pub hosts: Hosts,
}

/// A secret token, which is never shown by `Debug`.
#[derive(Clone)]
pub struct ApiToken(String);

/// No header can carry the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
#[error("expected text without control characters, and without blanks at its ends")]
pub struct InvalidToken;

impl Access {
    /// Rejects a call without the token.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Error> {
        self.check(|| headers.get(&TOKEN).map(HeaderValue::as_bytes))
    }

    /// Rejects a call of OpenAI's API without the token, which may also be given as its API key.
    pub(crate) fn check_api_key(&self, headers: &HeaderMap) -> Result<(), Error> {
        let bearer = || headers.get(AUTHORIZATION).and_then(|it| bearer_token(it.as_bytes()));
        let key = || headers.get(&AZURE_KEY).map(HeaderValue::as_bytes);
        let token = || headers.get(&TOKEN).map(HeaderValue::as_bytes);
        self.check(|| token().or_else(bearer).or_else(key))
    }

    fn check<'h>(&self, given: impl FnOnce() -> Option<&'h [u8]>) -> Result<(), Error> {
        let Some(ApiToken(token)) = &self.token else { return Ok(()) };
        let given = given().ok_or(Error::Unauthorized(WrongToken::Missing))?;
        // Compare in constant time, so that timing reveals nothing about the token.
        let is_same = given.ct_eq(token.as_bytes());
        if bool::from(is_same) { Ok(()) } else { Err(Error::Unauthorized(WrongToken::Mismatch)) }
    }
}

/// Returns the token of an `Authorization` header with the scheme `Bearer`.
fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(token.trim_ascii())
}

impl ApiToken {
    /// Creates a token. Returns `None` if `token` is empty.
    ///
    /// # Errors
    ///
    /// Fails if no header can carry the token, so that every call would be rejected.
    pub fn new(token: &str) -> Result<Option<Self>, InvalidToken> {
        // HTTP removes blanks around the value of a header.
        let has_blank_ends = token.trim_matches([' ', '\t']).len() < token.len();
        if has_blank_ends || HeaderValue::from_bytes(token.as_bytes()).is_err() {
            return Err(InvalidToken);
        }
        Ok((!token.is_empty()).then(|| Self(token.to_owned())))
    }
}

impl std::fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// The checks that every call must pass.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Who may call.
    pub access: Access,
    /// Maximum size in bytes of a request and of a gRPC response.
    pub max_body_size: usize,
    /// The memory for the requests and responses of all calls.
    pub memory: Arc<MemoryBudget>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_the_token() {
        assert_eq!(format!("{:?}", ApiToken::new("secret")), "Ok(Some(***))");
    }

    #[test]
    fn rejects_tokens_that_no_header_can_carry() {
        assert!(ApiToken::new("").unwrap().is_none());
        for token in ["a", "a b", "a\tb", "ä", "\"'"] {
            assert!(ApiToken::new(token).unwrap().is_some(), "{token:?}");
        }
        for token in [" ", " a", "a ", "\ta", "a\n", "a\r\nb", "a\0b", "a\x7f"] {
            assert_eq!(ApiToken::new(token).err(), Some(InvalidToken), "{token:?}");
        }
    }
}

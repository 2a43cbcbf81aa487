//! Deterministic mutations of corpus inputs.

/// Tokens with a special meaning to the parsers.
const TOKENS: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\xff\xff\xff\xff\x0f",
    b"\n\n",
    b"\"",
    b"\\",
    b"{\"a\":",
    b"[",
    b"}",
    b"null",
    b"-1e308",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"12345",
    b"a@b.co",
    b": ",
];

/// Mutates inputs with a xorshift64 generator, so that every run has the same mutations.
pub struct Mutator<'a> {
    state: u64,
    corpus: &'a [Vec<u8>],
}

impl<'a> Mutator<'a> {
    pub fn new(corpus: &'a [Vec<u8>]) -> Self {
        Self { state: 0x2545_f491_4f6c_dd1d, corpus }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from((self.state >> 16) % bound.max(1) as u64).expect("below a usize")
    }

    /// Returns a corpus input with one or two changes. Most changes are small, so that parsers get
    /// beyond the first bytes.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.pick();
        for _ in 0..=self.below(2) {
            self.mutate(&mut input);
        }
        input
    }

    fn pick(&mut self) -> Vec<u8> {
        let one = self.below(self.corpus.len());
        self.corpus[one].clone()
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len());
        let end = input.len().min(at + self.below(32));
        match self.below(10) {
            0 if !input.is_empty() => input[at] ^= 1 << self.below(8),
            1 => drop(input.drain(at..end)),
            2 => {
                let part = input[at..end].to_vec();
                self.insert(input, &part);
            }
            3 => {
                let token = TOKENS[self.below(TOKENS.len())];
                self.insert(input, token);
            }
            4 => {
                input.truncate(at);
                let other = self.pick();
                input.extend(&other[self.below(other.len())..]);
            }
            // Two concatenated protobuf messages are a valid message.
            5 => input.extend(self.pick()),
            _ => self.replace_alphanumeric(&mut input[at..]),
        }
    }

    /// Replaces the first letter or digit with another.
    fn replace_alphanumeric(&mut self, input: &mut [u8]) {
        const OTHERS: &[u8] = b"0123456789aeinstAEINST";
        if let Some(byte) = input.iter_mut().find(|byte| byte.is_ascii_alphanumeric()) {
            *byte = OTHERS[self.below(OTHERS.len())];
        }
    }

    fn insert(&mut self, input: &mut Vec<u8>, part: &[u8]) {
        let at = self.below(input.len() + 1);
        input.splice(at..at, part.iter().copied());
    }
}

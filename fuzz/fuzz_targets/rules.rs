#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    mynah_fuzz::rules::run(data);
});

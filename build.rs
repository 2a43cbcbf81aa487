//! Compiles `proto/` into Rust: messages, the server, the client, and the descriptors that
//! reflection and proto JSON read. protox is pure Rust, so no `protoc` has to be installed.

use std::{env, fs, path::Path};

use prost::Message;

const FILES: [&str; 2] = ["dapr/proto/runtime/v1/dapr.proto", "google/rpc/status.proto"];

#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through variables")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(FILES, ["proto"])?;
    let out_dir = env::var("OUT_DIR")?;
    fs::write(Path::new(&out_dir).join("descriptors.bin"), descriptors.encode_to_vec())?;

    let mut messages = tonic_prost_build::Config::new();
    messages.enable_type_names();
    tonic_prost_build::configure()
        // Maps in byte order of their keys: the same message gives the same bytes.
        .btree_map(".")
        .codec_path("crate::wire::codec::Codec")
        .compile_fds_with_config(descriptors, messages)?;
    Ok(())
}

//! Compiles `proto/` for the bare server, with the default settings of tonic and prost.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../proto");
    let descriptors = protox::compile(["dapr/proto/runtime/v1/dapr.proto"], ["../proto"])?;
    tonic_prost_build::configure().build_client(false).compile_fds(descriptors)?;
    Ok(())
}

//! Compiles `proto/` into Rust: messages, server, client, descriptors for reflection, and fast JSON
//! readers and writers. It uses protox, which is written in Rust, so `protoc` is not needed.

#[path = "build/json.rs"]
mod json;

use std::{env, error::Error, fs, path::PathBuf};

use protox::{
    prost::Message,
    prost_reflect::{
        DescriptorPool,
        prost_types::{FieldDescriptorProto, FileDescriptorSet, field_descriptor_proto::Type},
    },
};

const FILES: [&str; 2] = ["dapr/proto/runtime/v1/dapr.proto", "google/rpc/status.proto"];
/// The services of pluggable components, which use messages of the runtime.
const COMPONENT_FILES: [&str; 2] =
    ["dapr/proto/components/v1/conversation.proto", "dapr/proto/components/v1/bindings.proto"];

#[expect(clippy::disallowed_methods, reason = "cargo passes variables to build scripts")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    let descriptors = protox::compile(FILES, ["proto"])?;
    fs::write(out_dir.join("descriptors.bin"), descriptors.encode_to_vec())?;
    let pool = DescriptorPool::from_file_descriptor_set(descriptors.clone())?;
    fs::write(out_dir.join("json.rs"), json::generate(&pool))?;
    fs::write(out_dir.join("dapr_methods.rs"), dapr_methods(&pool))?;

    let builder = || {
        // Sorted maps make equal messages encode to equal bytes.
        tonic_prost_build::configure().btree_map(".").codec_path("crate::wire::codec::Codec")
    };
    builder().compile_fds_with_config(with_encoded_structs(descriptors), config())?;

    let components = protox::compile(COMPONENT_FILES, ["proto"])?;
    fs::write(out_dir.join("component_descriptors.bin"), components.encode_to_vec())?;
    let folder = out_dir.join("components");
    fs::create_dir_all(&folder)?;
    builder()
        .out_dir(folder)
        .extern_path(".dapr.proto.runtime.v1", "crate::wire::proto")
        .compile_fds_with_config(with_encoded_structs(components), config())?;
    Ok(())
}

fn config() -> tonic_prost_build::Config {
    let mut config = tonic_prost_build::Config::new();
    config.enable_type_names().bytes(["."]);
    config
}

/// Declares each `google.protobuf.Struct` as its encoding, which looks the same on the wire. Decoding
/// a message then leaves its JSON Schemas undecoded, without copying them.
fn with_encoded_structs(mut descriptors: FileDescriptorSet) -> FileDescriptorSet {
    let messages = descriptors.file.iter_mut().flat_map(|file| &mut file.message_type);
    for field in messages.flat_map(|message| &mut message.field) {
        if field.type_name() == ".google.protobuf.Struct" {
            *field = FieldDescriptorProto {
                name: field.name.take(),
                number: field.number,
                label: field.label,
                r#type: Some(Type::Bytes.into()),
                proto3_optional: Some(true),
                ..FieldDescriptorProto::default()
            };
        }
    }
    descriptors
}

/// Generates a constant that lists the method names of Dapr's runtime service.
fn dapr_methods(pool: &DescriptorPool) -> String {
    let service = pool.get_service_by_name("dapr.proto.runtime.v1.Dapr");
    let methods = service.iter().flat_map(|service| service.methods());
    let names: Vec<_> = methods.map(|method| method.name().to_owned()).collect();
    format!("const DAPR_METHODS: [&str; {}] = {names:?};\n", names.len())
}

//! Component YAML.

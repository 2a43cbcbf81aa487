//! Expands templates in metadata values: `{appID}`, `{namespace}`, `{podName}` and `{uuid}`.

use twox_hash::XxHash3_64;

use crate::component::context::Context;

/// Expands all templates in `text`, which is the value of the metadata item `item`.
pub(super) fn expand(
    text: &str,
    context: &Context,
    component: &str,
    item: &str,
) -> Result<String, &'static str> {
    let mut text = expand_uuids(text, component, item);
    if text.contains("{podName}") {
        let pod = context.pod_name().ok_or("{podName} requires POD_NAME to be set")?;
        text = text.replace("{podName}", pod);
    }
    let (app_id, namespace) = (&context.app_id, context.namespace());
    Ok(text.replace("{namespace}", &format!("{namespace}.{app_id}")).replace("{appID}", app_id))
}

fn expand_uuids(text: &str, component: &str, item: &str) -> String {
    let mut parts = text.split("{uuid}");
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        expanded += &uuid(&format!("{component}/{item}/{index}"));
        expanded += part;
    }
    expanded
}

/// Returns a UUID that depends only on the seed. In version 8, the application chooses the bits.
fn uuid(seed: &str) -> String {
    let high = XxHash3_64::oneshot_with_seed(0, seed.as_bytes());
    let low = XxHash3_64::oneshot_with_seed(1, seed.as_bytes());
    let version = 0x8000 | (high & 0xfff);
    let variant = 0x8000 | (low >> 48 & 0x3fff);
    let (first, second) = (high >> 32, high >> 16 & 0xffff);
    format!("{first:08x}-{second:04x}-{version:04x}-{variant:04x}-{:012x}", low & 0xffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(variables: &[(&str, &str)]) -> Context {
        let environment = variables.iter().copied().collect();
        Context { app_id: "shop".into(), environment, ..Context::default() }
    }

    fn expanded(text: &str) -> Result<String, &'static str> {
        expand(text, &context(&[("NAMESPACE", "prod"), ("POD_NAME", "")]), "echo", "model")
    }

    #[test]
    fn expands_app_id_and_namespace() {
        assert_eq!(
            expanded("{appID} {namespace} {other}").as_deref(),
            Ok("shop prod.shop {other}")
        );
        let unset = expand("{namespace}", &context(&[]), "echo", "model");
        assert_eq!(unset.as_deref(), Ok("default.shop"), "as daprd");
    }

    #[test]
    fn rejects_pod_name_if_not_set() {
        assert_eq!(expanded("{podName}"), Err("{podName} requires POD_NAME to be set"));
        let context = context(&[("POD_NAME", "pod-0")]);
        assert_eq!(expand("at {podName}", &context, "echo", "model").as_deref(), Ok("at pod-0"));
    }

    #[test]
    fn expands_each_uuid_to_a_constant() {
        insta::assert_snapshot!(expanded("{uuid} {uuid}").unwrap(), @"57fc4167-8933-8995-aaaf-10f738bfae59 56ca04f4-8e35-8058-8100-62cbdffce05e");
    }
}

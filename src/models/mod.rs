//! The models of simulations: components, and components of other sidecars.

// in_process  a component of this process
// sidecar     a component of a sidecar
// cache       keeps the answers of sidecars

mod cache;
mod in_process;
mod sidecar;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use self::{cache::Cache, in_process::ComponentModel, sidecar::Sidecar};
use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        environment::Environment,
    },
    client::Address,
    component::{self, Context},
    simulate::{Components, InvalidSimulation, Model, Models, Plan},
    tool_loop::OwnerMetrics,
};

/// The models that a sidecar has for one simulation.
pub(crate) struct SidecarModels {
    context: Context,
    /// Models with the same address and component share a connection.
    sidecars: BTreeMap<(String, Option<String>), Arc<Sidecar>>,
    cache: Option<Arc<Cache>>,
}

impl SidecarModels {
    /// Creates models whose components are loaded in a context.
    pub(crate) fn new(context: &Context) -> Self {
        // The components of all applications may take part.
        let context = Context { app_id: String::new(), ..context.clone() };
        Self { context, sidecars: BTreeMap::new(), cache: None }
    }
}

impl Models for SidecarModels {
    fn components(&mut self, paths: &[PathBuf], environment: &Environment) -> Components {
        let metrics = match OwnerMetrics::new() {
            Ok(metrics) => Arc::new(metrics),
            Err(error) => {
                let errors = vec![Diagnostic::error(error.to_string())];
                return Components { errors, ..Components::default() };
            }
        };
        let context = Context { environment: environment.clone(), ..self.context.clone() };
        let stand_in = context.stand_in.map(|stand_in| stand_in.to_string());
        environment.record("--stand-in", stand_in.as_deref());
        let loaded = component::load(paths, &context);
        let about_rules = |notice: &Diagnostic| {
            notice.severity == Severity::Warning
                && context.rules.iter().any(|path| notice.file.starts_with(path))
        };
        let model = |spec| ComponentModel { spec, metrics: metrics.clone() };
        let models = loaded
            .components
            .into_iter()
            .map(|spec| (spec.name.clone(), Arc::new(model(spec)) as Arc<dyn Model>));
        let files: BTreeSet<_> =
            loaded.component_files.into_iter().chain(loaded.watched_files).collect();
        Components {
            models: models.collect(),
            errors: loaded.errors,
            warnings: loaded.notices.into_iter().filter(about_rules).collect(),
            files,
        }
    }

    fn sidecar(
        &mut self,
        address: &str,
        component: Option<&str>,
        cache: Option<&Path>,
    ) -> Result<Arc<dyn Model>, String> {
        Address::parse(address.to_owned()).map_err(|error| error.to_string())?;
        let cache =
            cache.map(|folder| self.cache.get_or_insert_with(|| Cache::new(folder).into()).clone());
        let token = self.context.environment.get("DAPR_API_TOKEN").map(str::to_owned);
        let key = (address.to_owned(), component.map(str::to_owned));
        let sidecar = self.sidecars.entry(key).or_insert_with_key(|(address, component)| {
            Arc::new(Sidecar::new(address.clone(), component.clone(), token, cache))
        });
        Ok(sidecar.clone())
    }
}

/// Reads and checks a simulation and all files that it refers to, as `mynah simulate` does. Its models are
/// components of this process and of sidecars. Starts nothing.
///
/// ```
/// use mynah::{
///     simulate::{self, EarlierResults, RunSettings},
///     tool_loop::CancellationToken,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plan = simulate::load("examples/simulate/support-desk.yaml".as_ref())?;
/// plan.connect().await?;
/// let folder = tempfile::tempdir()?;
/// let settings = RunSettings {
///     out: folder.path().to_owned(),
///     earlier: EarlierResults::Replace,
///     shard: None,
///     in_flight: plan.in_flight(),
/// };
/// let cancel = CancellationToken::new();
/// let play = |index| plan.clone().play(index, cancel.clone());
/// let run = simulate::run(plan.identity(), &settings, play, |_| {}, cancel.clone()).await?;
/// assert_eq!(run.tally.finished, 10);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Fails with all mistakes that were found.
pub fn load(file: &Path) -> Result<Plan, InvalidSimulation> {
    let environment = Environment::read();
    let context = Context { environment: environment.clone(), ..Context::default() };
    Plan::read(file, &environment, &mut SidecarModels::new(&context))
}

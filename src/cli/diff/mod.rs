//! `mynah diff`: sends recorded requests to real models again, and reports what has changed.

// recorded  the recorded exchanges of components
// error     the reasons why nothing is compared
// compare   what differs between two answers
// report    the report

mod compare;
mod error;
mod recorded;
mod report;

use std::{
    io::{self, Write},
    pin::pin,
    process::ExitCode,
    sync::Arc,
};

use futures_util::{StreamExt, stream};

pub(crate) use self::error::Error;
use self::{
    compare::changes,
    recorded::{Asked, exchanges},
    report::{Compared, Report},
};
use super::{args::DiffArgs, progress::Progress};
use crate::{
    base::{environment::Environment, redactor::Redactor},
    chat::Request,
    component::{Context, RealModels, Upstream},
    provider::{
        CallContext, Provider,
        scripted::{recordings::redact_answer, rules::is_missed},
    },
    upstream::list_components,
};

/// Compares the answers of real models with the recorded ones, and prints a report to stdout. Returns a
/// failure code if a request fails or an answer differs in what `--fail-on` names.
pub(super) async fn diff(args: &DiffArgs, environment: &Environment) -> Result<ExitCode, Error> {
    let token = environment.get("DAPR_API_TOKEN").unwrap_or_default();
    let api = args.upstream.with_daprd(args.daprd.clone(), token)?;
    let models = RealModels::Upstream(Upstream { api, recorder: None });
    let context = Context {
        environment: environment.clone(),
        real_models: Some(models),
        ..Context::default()
    };
    if let Some((address, token)) = context.daprd() {
        let listed = list_components(address, token).await;
        let failed = |error| Error::Daprd(address.to_owned(), error);
        context.daprd_components.replace(listed.map_err(failed)?);
    }
    let asked = exchanges(args, &context)?;
    let all = asked.iter().map(|it| it.answers).sum();
    let mut progress = Progress::new(environment, "request");
    // The keys of the components are known by now.
    let redactor = &Redactor::new(&environment.hidden());
    let asking = stream::iter(asked).map(|asked| compared(asked, redactor));
    let asking = asking.buffered(args.concurrency.into());
    let (mut report, mut asking) = (Report::default(), pin!(asking));
    while let Some(compared) = asking.next().await {
        compared.into_iter().for_each(|it| report.add(it));
        progress.update(report.len(), all, report.failed());
    }
    let text = if args.json { report.to_json() } else { report.to_string() };
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stdout(), "{text}");
    let is_failure =
        report.failed() > 0 || args.fail_on.iter().any(|it| report.changed_in(*it) > 0);
    Ok(if is_failure { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Asks a model again, once for each recorded answer.
async fn compared(asked: Asked, redactor: &Redactor) -> Vec<Compared> {
    let mut all = Vec::new();
    for number in 1..=asked.answers {
        let answer = (asked.answers > 1).then_some(number);
        let (component, name) = (asked.component.clone(), asked.name.clone());
        let compared = Compared { component, name, answer, ..Compared::default() };
        all.push(match &asked.request {
            Ok(request) => compared_answer(&asked, request, redactor, compared).await,
            Err(error) => Compared { failure: Some(error.clone()), ..compared },
        });
    }
    all
}

/// Asks a model once. Secrets are removed from both answers, as from recorded ones.
async fn compared_answer(
    asked: &Asked,
    request: &Arc<Request>,
    redactor: &Redactor,
    compared: Compared,
) -> Compared {
    let ask = |provider: &Arc<dyn Provider>| {
        provider.clone().converse(request.clone(), CallContext::default())
    };
    let mut recorded = ask(&asked.recorded).await;
    if recorded.as_ref().is_err_and(is_missed) {
        return Compared { is_left_out: true, ..compared };
    }
    let mut answer = ask(&asked.model).await;
    [&mut recorded, &mut answer].into_iter().for_each(|end| redact_answer(end, redactor));
    match answer {
        Ok(answer) => {
            let changes = changes(request, &recorded, &answer);
            Compared { changes, usage: answer.usage, ..compared }
        }
        Err(error) => match recorded {
            Err(recorded) if recorded == error => compared,
            _ => Compared { failure: Some(error.message), ..compared },
        },
    }
}

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
    component::{Context, RealModels, Upstream},
    provider::{CallContext, scripted::recordings::redact_answer},
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
    let asked = exchanges(args, &context)?;
    let all = asked.len();
    let mut progress = Progress::new(environment, "request");
    // The keys of the components are known by now.
    let redactor = &Redactor::new(&environment.hidden());
    let asking = stream::iter(asked).map(|asked| compared(asked, redactor));
    let asking = asking.buffered(args.concurrency.into());
    let (mut report, mut asking) = (Report::default(), pin!(asking));
    while let Some(compared) = asking.next().await {
        report.add(compared);
        progress.update(report.len(), all, report.failed());
    }
    let text = if args.json { report.to_json() } else { report.to_string() };
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stdout(), "{text}");
    let is_failure =
        report.failed() > 0 || args.fail_on.iter().any(|it| report.changed_in(*it) > 0);
    Ok(if is_failure { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Asks a model again. Secrets are removed from both answers, as from recorded ones.
async fn compared(asked: Asked, redactor: &Redactor) -> Compared {
    let Asked { component, name, request, recorded, model } = asked;
    let compared = Compared { component, name, ..Compared::default() };
    let request = match request {
        Ok(request) => request,
        Err(error) => return Compared { failure: Some(error), ..compared },
    };
    let mut recorded = recorded.converse(request.clone(), CallContext::default()).await;
    let mut answer = model.converse(request.clone(), CallContext::default()).await;
    [&mut recorded, &mut answer].into_iter().for_each(|end| redact_answer(end, redactor));
    match answer {
        Ok(answer) => {
            let changes = changes(&request, &recorded, &answer);
            Compared { changes, usage: answer.usage, ..compared }
        }
        Err(error) => match recorded {
            Err(recorded) if recorded == error => compared,
            _ => Compared { failure: Some(error.message), ..compared },
        },
    }
}

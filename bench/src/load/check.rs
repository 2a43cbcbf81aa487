//! Checks a server's answers with a real client before anything is measured.

use anyhow::{Context, bail};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use mynah::internals::wire::{
    json,
    proto::{
        ConversationResponseAlpha2, ConversationStreamCompleteAlpha2,
        conversation_stream_response_alpha2::Message, dapr_client::DaprClient,
    },
};
use mynah_bench::cases::{Answer, Call, Case};
use serde_json::Value;
use tokio::net::TcpStream;

use crate::server::Server;

/// Fails unless the server's answers to the case are correct.
pub(crate) async fn check(server: &Server, case: Case) -> anyhow::Result<()> {
    let name = server.program.name();
    for call in case.calls()? {
        let answer = match (case, case.http_path()) {
            (_, Some(path)) => post(server, case, path, &call).await,
            (Case::Stream, None) => stream(server, &call).await,
            _ => converse(server, case, &call).await,
        };
        let answer = answer.with_context(|| format!("{name} does not answer"))?;
        let is_bare = server.program.is_bare();
        let checked =
            if is_bare { case.check_bare(&call, &answer) } else { case.check(&call, &answer) };
        checked.with_context(|| format!("wrong answer from {name} to {}", case.name()))?;
    }
    Ok(())
}

async fn converse(server: &Server, case: Case, call: &Call) -> anyhow::Result<Answer> {
    let mut client = DaprClient::connect(format!("http://{}", server.address(case))).await?;
    let response = client.converse_alpha2(call.message()?).await?.into_inner();
    Ok(Answer { chunks: Vec::new(), response: as_json(&response)? })
}

async fn stream(server: &Server, call: &Call) -> anyhow::Result<Answer> {
    let url = format!("http://{}", server.address(Case::Stream));
    let mut client = DaprClient::connect(url).await?;
    let response = client.converse_stream_alpha2(call.message()?).await?;
    let (mut stream, mut chunks) = (response.into_inner(), Vec::new());
    while let Some(message) = stream.message().await? {
        match message.message {
            Some(Message::Chunk(chunk)) => chunks.push(chunk.content),
            Some(Message::Complete(ConversationStreamCompleteAlpha2 { context_id, outputs })) => {
                let response = as_json(&ConversationResponseAlpha2 { context_id, outputs })?;
                return Ok(Answer { chunks, response });
            }
            None => bail!("received an empty message"),
        }
    }
    bail!("the stream ends without a final message")
}

async fn post(server: &Server, case: Case, path: &str, call: &Call) -> anyhow::Result<Answer> {
    let address = server.address(case);
    let (mut client, connection) =
        http1::handshake(TokioIo::new(TcpStream::connect(address).await?)).await?;
    tokio::spawn(connection);
    let request = http::Request::post(path)
        .header("host", address.to_string())
        .header("content-type", "application/json")
        .body(Full::new(bytes::Bytes::from(call.body(case).to_string())))?;
    let body = client.send_request(request).await?.into_body().collect().await?.to_bytes();
    Ok(Answer { chunks: Vec::new(), response: serde_json::from_slice(&body)? })
}

fn as_json(response: &ConversationResponseAlpha2) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&json::write(response)?)?)
}

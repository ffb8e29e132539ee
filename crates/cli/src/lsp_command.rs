//! `argonaut lsp`: a language server over standard input and output. It verifies a file when it is opened or saved and
//! reports violations, proved invariants and measures at their places.
//!
//! Every verification is a `verify` process of its own, so the editor never waits: the server only passes on what a
//! process printed, and ends the process when the text changes.

mod answer;
mod position;
mod run;
mod server;

use crate::args::LspArgs;
use lsp_server::Connection;
use lsp_types::{
    CodeActionProviderCapability, ExecuteCommandOptions, HoverProviderCapability, InitializeParams, OneOf,
    PositionEncodingKind, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use position::Encoding;
use server::{COMMANDS, Server};

/// Serves one client until it says `exit` or goes away.
pub fn serve(args: &LspArgs) -> Result<u8, String> {
    let (connection, threads) = Connection::stdio();
    let problem = |error: &dyn std::fmt::Display| format!("the client does not speak the protocol: {error}");
    let (id, params) = connection.initialize_start().map_err(|error| problem(&error))?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| problem(&error))?;
    let encoding = encoding(&params);
    let answer = serde_json::json!({
        "capabilities": capabilities(encoding),
        "serverInfo": ServerInfo { name: "argonaut".into(), version: Some(env!("CARGO_PKG_VERSION").into()) },
    });
    connection.initialize_finish(id, answer).map_err(|error| problem(&error))?;
    Server::new(args, &connection, encoding, &params).serve();
    drop(connection);
    // A client that went away ends the threads with an error that has no reader.
    let _ = threads.join();
    Ok(0)
}

/// Bytes, if the client counts in them, else what the protocol prescribes.
fn encoding(params: &InitializeParams) -> Encoding {
    let known = params.capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
    match known.is_some_and(|known| known.contains(&PositionEncodingKind::UTF8)) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            // What changed does not matter, only that the last answer is about another text.
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(str::to_owned).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

//! The server's state, one entry per open document, and what it does with messages of the client and with answers.

use super::answer::{Answer, Note};
use super::position::{Encoding, end_of_line};
use super::run::{Printed, Question, Running};
use crate::args::LspArgs;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use driver::PrivateFolder;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, Diagnostic, ExecuteCommandParams,
    Hover, HoverContents, HoverParams, InitializeParams, InlayHint, InlayHintLabel, InlayHintParams, MarkupContent,
    MarkupKind, MessageType, PublishDiagnosticsParams, ShowDocumentParams, ShowMessageParams, Url, notification,
    request,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const SHOW_EXECUTION: &str = "argonaut.showExecution";
const WRITE_HARNESS: &str = "argonaut.writeHarness";
const VERIFY_LONGER: &str = "argonaut.verifyLonger";
/// What code actions ask for.
pub const COMMANDS: [&str; 3] = [SHOW_EXECUTION, WRITE_HARNESS, VERIFY_LONGER];
/// How much more time "verify with more time" gives.
const LONGER: u32 = 10;

/// One document that the client has open.
#[derive(Default)]
struct Document {
    /// Its text, where the client told it; else it is read from its file.
    running: Option<Running>,
    /// Counts verifications: an answer to an earlier one is too late.
    version: u64,
    answer: Answer,
    /// The files that have diagnostics of this document.
    shown: BTreeSet<PathBuf>,
}

/// An answer that arrived.
struct Arrived {
    file: PathBuf,
    version: u64,
    printed: Printed,
    /// The folder of the harness, if one was asked for.
    harness: Option<PathBuf>,
}

/// A server for one client.
pub struct Server<'a> {
    args: &'a LspArgs,
    connection: &'a Connection,
    encoding: Encoding,
    shows_documents: bool,
    shows_progress: bool,
    documents: BTreeMap<PathBuf, Document>,
    arrived: (Sender<Arrived>, Receiver<Arrived>),
    /// Where executions are written to be shown; made when the first one is.
    folder: Option<PrivateFolder>,
    requests: i32,
}

impl<'a> Server<'a> {
    pub fn new(
        args: &'a LspArgs,
        connection: &'a Connection,
        encoding: Encoding,
        params: &InitializeParams,
    ) -> Server<'a> {
        let window = params.capabilities.window.as_ref();
        let shows = window.and_then(|window| window.show_document.as_ref());
        Server {
            args,
            connection,
            encoding,
            shows_documents: shows.is_some_and(|shows| shows.support),
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            documents: BTreeMap::new(),
            arrived: unbounded(),
            folder: None,
            requests: 0,
        }
    }

    /// Answers messages until the client says `exit` or goes away.
    pub fn serve(&mut self) {
        let (messages, answers) = (self.connection.receiver.clone(), self.arrived.1.clone());
        loop {
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => match self.connection.handle_shutdown(&request) {
                        Ok(true) | Err(_) => return,
                        Ok(false) => self.request(request),
                    },
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    // The client has nothing to tell about what it was asked to show.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return,
                },
                recv(answers) -> answer => if let Ok(answer) = answer { self.answer(answer) },
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        let uri = || {
            let uri = notification.params["textDocument"]["uri"].as_str()?;
            Url::parse(uri).ok()?.to_file_path().ok()
        };
        match notification.method.as_str() {
            notification::DidOpenTextDocument::METHOD | notification::DidSaveTextDocument::METHOD => {
                if let Some(file) = uri() {
                    self.verify(file, 1, None);
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(document) = uri().and_then(|file| self.documents.get_mut(&file)) {
                    // The answer would be about another text.
                    document.running = None;
                    document.version += 1;
                    document.answer.notes.clear();
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(file) = uri() {
                    let shown = self.documents.remove(&file).map(|document| document.shown);
                    shown.into_iter().flatten().for_each(|shown| self.publish(&shown, Vec::new()));
                }
            }
            // Others are allowed to be ignored.
            _ => {}
        }
    }

    /// Verifies a file from now on, `longer` times as long as usual.
    fn verify(&mut self, file: PathBuf, longer: u32, harness: Option<PathBuf>) {
        let document = self.documents.entry(file.clone()).or_default();
        document.running = None;
        document.version += 1;
        let version = document.version;
        let question = Question {
            file: file.clone(),
            time: self.args.time_limit * longer,
            options: options(self.args, &file, harness.as_deref()),
        };
        let (sender, of) = (self.arrived.0.clone(), file.clone());
        let started = Running::start(&question, move |printed| {
            // Without a server there is no client to tell.
            let _ = sender.send(Arrived { file: of, version, printed, harness });
        });
        match started {
            Ok(running) => {
                document.running = Some(running);
                self.progress(&file, version, true);
            }
            Err(problem) => self.say(MessageType::ERROR, problem),
        }
    }

    fn answer(&mut self, arrived: Arrived) {
        let Arrived { file, version, printed, harness } = arrived;
        self.progress(&file, version, false);
        let Some(document) = self.documents.get_mut(&file).filter(|document| document.version == version) else {
            return;
        };
        document.running = None;
        let read = |path: &Path| driver::read_text(path, "a C file").unwrap_or_default();
        document.answer = Answer::new(&file, &printed, self.encoding, &read);
        let mut diagnostics = document.answer.diagnostics.clone();
        let before = std::mem::replace(&mut document.shown, diagnostics.keys().cloned().collect());
        // Files whose diagnostics are gone, and the file itself, so that the client knows that there are none.
        for path in before.into_iter().chain([file.clone()]) {
            diagnostics.entry(path).or_default();
        }
        let verdict = document.answer.verdict.clone();
        diagnostics.into_iter().for_each(|(path, all)| self.publish(&path, all));
        self.log(&format!("{}: {verdict}", file.display()));
        if let Some(folder) = harness.filter(|folder| folder.exists()) {
            self.say(MessageType::INFO, format!("the harness is in {}", folder.display()));
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let result = match method.as_str() {
            request::HoverRequest::METHOD => parsed(params).map(|params| self.hover(&params)),
            request::InlayHintRequest::METHOD => parsed(params).map(|params| self.hints(&params)),
            request::CodeActionRequest::METHOD => parsed(params).map(|params| self.actions(&params)),
            request::ExecuteCommand::METHOD => parsed(params).and_then(|params| self.execute(&params)),
            _ => Err((ErrorCode::MethodNotFound, format!("{method} is not supported"))),
        };
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(response.into());
    }

    /// What is known at the line.
    fn hover(&self, params: &HoverParams) -> Value {
        let at = &params.text_document_position_params;
        let notes = self.notes(&at.text_document.uri, |line| line == at.position.line + 1);
        if notes.is_empty() {
            return Value::Null;
        }
        let lines = notes.iter().map(|note| match note.kind {
            "invariant" => format!("holds whenever the loop is entered or repeated:\n```c\n{}\n```", note.text),
            _ => note.text.clone(),
        });
        let value = format!("**argonaut** (proved)\n\n{}", lines.collect::<Vec<_>>().join("\n\n"));
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        json!(Hover { contents, range: None })
    }

    /// The same at the ends of lines.
    fn hints(&self, params: &InlayHintParams) -> Value {
        let lines = params.range.start.line + 1..=params.range.end.line + 1;
        let uri = &params.text_document.uri;
        let text =
            uri.to_file_path().ok().and_then(|file| driver::read_text(&file, "a C file").ok()).unwrap_or_default();
        let hint = |note: &Note| InlayHint {
            position: end_of_line(&text, note.line, self.encoding),
            label: InlayHintLabel::String(format!("{}: {}", note.kind, note.text)),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        };
        let notes = self.notes(uri, |line| lines.contains(&line));
        json!(notes.into_iter().map(hint).collect::<Vec<_>>())
    }

    fn notes(&self, uri: &Url, is_asked: impl Fn(u32) -> bool) -> Vec<&Note> {
        let Ok(file) = uri.to_file_path() else { return Vec::new() };
        let all = self.documents.values().flat_map(|document| &document.answer.notes);
        all.filter(|note| note.file == file && is_asked(note.line)).collect()
    }

    fn actions(&self, params: &CodeActionParams) -> Value {
        let uri = &params.text_document.uri;
        let action = |title: &str, command: &str, more: Option<&Value>, diagnostic: Option<&Diagnostic>| {
            let arguments = [json!(uri)].into_iter().chain(more.cloned()).collect();
            CodeActionOrCommand::CodeAction(CodeAction {
                title: title.to_owned(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: diagnostic.map(|one| vec![one.clone()]),
                command: Some(Command::new(title.to_owned(), command.to_owned(), Some(arguments))),
                ..CodeAction::default()
            })
        };
        let mut all = Vec::new();
        for one in params.context.diagnostics.iter().filter(|one| one.source.as_deref() == Some("argonaut")) {
            if let Some(number) = &one.data {
                all.push(action("Show the execution", SHOW_EXECUTION, Some(number), Some(one)));
                all.push(action("Write a harness", WRITE_HARNESS, None, Some(one)));
            }
        }
        all.push(action("Verify with more time", VERIFY_LONGER, None, None));
        json!(all)
    }

    fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Value, (ErrorCode, String)> {
        let bad = |message: &str| (ErrorCode::InvalidParams, message.to_owned());
        let uri = params.arguments.first().and_then(Value::as_str).and_then(|uri| Url::parse(uri).ok());
        let file = uri.and_then(|uri| uri.to_file_path().ok()).ok_or_else(|| bad("the name of a file is expected"))?;
        match params.command.as_str() {
            SHOW_EXECUTION => {
                let number = params.arguments.get(1).and_then(Value::as_u64).unwrap_or(0);
                let texts = self.documents.get(&file).map(|document| &document.answer.executions);
                let text = texts.and_then(|texts| texts.get(usize::try_from(number).ok()?));
                let text = text.cloned().ok_or_else(|| bad("that execution is no longer available"))?;
                self.show(&text).map_err(|problem| (ErrorCode::InternalError, problem))?;
                Ok(Value::from(text))
            }
            WRITE_HARNESS => {
                let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                let folder = file.with_file_name(format!("{stem}-harness"));
                if folder.is_symlink() {
                    // Its author would choose where files are written.
                    return Err(bad(&format!("{} is a link", folder.display())));
                }
                self.verify(file, 1, Some(folder));
                Ok(Value::Null)
            }
            VERIFY_LONGER => {
                self.verify(file, LONGER, None);
                Ok(Value::Null)
            }
            other => Err(bad(&format!("{other} is not a command of this server"))),
        }
    }

    /// Opens a text in the client: as a document if it can, else as a message.
    fn show(&mut self, text: &str) -> Result<(), String> {
        if !self.shows_documents {
            self.say(MessageType::INFO, text.to_owned());
            return Ok(());
        }
        let folder = match &self.folder {
            Some(folder) => folder,
            None => self.folder.insert(PrivateFolder::new()?),
        };
        let path = folder.path().join("execution.txt");
        crate::write_file(&path, text)?;
        let uri = Url::from_file_path(&path).map_err(|()| "no name for the execution".to_owned())?;
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
        self.ask(request::ShowDocument::METHOD, json!(params));
        Ok(())
    }

    fn progress(&mut self, file: &Path, version: u64, begins: bool) {
        if !self.shows_progress {
            return;
        }
        let token = format!("argonaut/{version}/{}", file.display());
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let value = match begins {
            true => {
                self.ask(request::WorkDoneProgressCreate::METHOD, json!({ "token": &token }));
                json!({ "kind": "begin", "title": "argonaut", "message": format!("verifies {name}") })
            }
            false => json!({ "kind": "end" }),
        };
        self.notify(notification::Progress::METHOD, json!({ "token": token, "value": value }));
    }

    fn publish(&self, file: &Path, diagnostics: Vec<Diagnostic>) {
        let Ok(uri) = Url::from_file_path(file) else { return };
        let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
        self.notify(notification::PublishDiagnostics::METHOD, json!(params));
    }

    fn say(&self, typ: MessageType, message: String) {
        self.notify(notification::ShowMessage::METHOD, json!(ShowMessageParams { typ, message }));
    }

    fn log(&self, message: &str) {
        let params = json!({ "type": MessageType::LOG, "message": message });
        self.notify(notification::LogMessage::METHOD, params);
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params }.into());
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.requests += 1;
        self.send(Request { id: self.requests.into(), method: method.to_owned(), params }.into());
    }

    fn send(&self, message: Message) {
        // A client that went away ends the loop at its next message.
        let _ = self.connection.sender.send(message);
    }
}

fn parsed<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// Options of `verify` for a file of the editor.
fn options(args: &LspArgs, file: &Path, harness: Option<&Path>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["--all-targets".into(), "--analysis".into(), (&args.analysis).into()];
    if !args.no_store {
        words.push("--store".into());
    }
    if let Some(check) = &args.check {
        words.extend(["--check".into(), check.into()]);
    }
    let database = args.compile_commands.clone().or_else(|| {
        let folders = file.ancestors().skip(1);
        folders.map(|folder| folder.join("compile_commands.json")).find(|path| path.is_file())
    });
    if let Some(database) = database {
        words.extend(["--compile-commands".into(), database.into()]);
    }
    if let Some(folder) = harness {
        words.extend(["--harness".into(), folder.into()]);
    }
    words
}

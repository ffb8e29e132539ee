//! `argonaut lsp` as an editor sees it: messages over pipes, in the protocol's framing.

mod command;

use command::{command, file};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client with one server.
struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    seen: VecDeque<Value>,
    requests: u64,
}

impl Client {
    fn new(args: &[&str]) -> Client {
        let words: Vec<&str> = ["lsp", "--no-store"].iter().chain(args).copied().collect();
        let mut child =
            command(&words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let out = child.stdout.take().expect("a pipe");
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut out = BufReader::new(out);
            while let Some(message) = read(&mut out) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let to = child.stdin.take();
        let mut client = Client { child, to, from, seen: VecDeque::new(), requests: 0 };
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
        let answer = client.request("initialize", json!({ "capabilities": capabilities }));
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let to = self.to.as_mut().expect("the server listens");
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| to.flush()).expect("a pipe");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The response to a request.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == id && message["method"].is_null())
    }

    /// The next message of this kind; others are kept.
    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&is_it) {
            return self.seen.remove(at).expect("found there");
        }
        loop {
            let message = self.from.recv_timeout(PATIENCE).expect("the server answers");
            if is_it(&message) {
                return message;
            }
            self.seen.push_back(message);
        }
    }

    /// The diagnostics of the next answer.
    fn diagnostics(&mut self) -> Vec<Value> {
        let message = self.wait(|message| message["method"] == "textDocument/publishDiagnostics");
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn open(&mut self, uri: &str) {
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": "" });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Ends the server as the protocol says.
    fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        drop(self.to.take());
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

fn read(out: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if out.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut text = vec![0; length];
    out.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn document(uri: &str) -> Value {
    json!({ "uri": uri })
}

const BUG: &str = "\
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 42)
        reach_error();
    return 0;
}
";

const PROOF: &str = "\
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    if (i != j)
        reach_error();
    return 0;
}
";

#[test]
fn a_violation_is_shown_where_it_is_with_its_execution() {
    let uri = format!("file://{}", file("lsp-bug.c", BUG));
    let mut client = Client::new(&[]);
    client.open(&uri);
    let all = client.diagnostics();
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["message"], "reach_error() is called");
    assert_eq!(
        all[0]["range"],
        json!({ "start": { "line": 5, "character": 8 }, "end": { "line": 5, "character": 19 } })
    );
    let related = all[0]["relatedInformation"].as_array().expect("a list");
    assert!(
        related.iter().any(|step| step["message"].as_str().is_some_and(|text| text.contains("x = 42"))),
        "{related:?}"
    );

    let context = json!({ "diagnostics": all });
    let range = all[0]["range"].clone();
    let params = json!({ "textDocument": document(&uri), "range": range, "context": context });
    let actions = client.request("textDocument/codeAction", params);
    let actions = actions["result"].as_array().expect("a list").clone();
    let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(titles, ["Show the execution", "Write a harness", "Verify with more time"]);
    let shown = client.request("workspace/executeCommand", actions[0]["command"].clone());
    assert!(shown["result"].as_str().is_some_and(|text| text.contains("__VERIFIER_nondet_int() = 42")), "{shown}");
    client.end();
}

#[test]
fn an_edit_that_is_saved_is_verified_again() {
    let path = file("lsp-edit.c", BUG);
    let uri = format!("file://{path}");
    let mut client = Client::new(&[]);
    client.open(&uri);
    assert_eq!(client.diagnostics().len(), 1);
    std::fs::write(&path, BUG.replace("x == 42", "x == 42 && x == 43")).expect("a writable file");
    client.notify("textDocument/didChange", json!({ "textDocument": document(&uri), "contentChanges": [] }));
    client.notify("textDocument/didSave", json!({ "textDocument": document(&uri) }));
    assert_eq!(client.diagnostics(), [Value::Null; 0]);
    client.end();
}

#[test]
fn invariants_stand_at_loops() {
    let uri = format!("file://{}", file("lsp-proof.c", PROOF));
    let mut client = Client::new(&["--analysis", "k-induction"]);
    client.open(&uri);
    assert_eq!(client.diagnostics(), [Value::Null; 0]);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 20, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", json!({ "textDocument": document(&uri), "range": range }));
    let hints = hints["result"].as_array().expect("a list").clone();
    let line = hints.first().and_then(|hint| hint["position"]["line"].as_u64()).expect("an invariant at the loop");
    let position = json!({ "line": line, "character": 4 });
    let hover = client.request("textDocument/hover", json!({ "textDocument": document(&uri), "position": position }));
    assert!(hover["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains("holds")), "{hover}");
    client.end();
}

#[test]
fn bad_input_is_shown_at_its_place() {
    let uri = format!("file://{}", file("lsp-bad.c", "int main(void) {\n    return 0\n}\n"));
    let mut client = Client::new(&[]);
    client.open(&uri);
    let all = client.diagnostics();
    assert_eq!(all[0]["range"]["start"]["line"], 1, "{all:?}");
    client.end();
}

/// A verification that is no longer waited for ends with the server.
#[test]
fn the_server_ends_at_once_also_while_it_verifies() {
    let hard = "extern unsigned long __VERIFIER_nondet_ulong(void); void reach_error(void);
        int main(void) { unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
        if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296 && a * b == 1000000000000000003ul) reach_error(); }";
    let uri = format!("file://{}", file("lsp-hard.c", hard));
    let mut client = Client::new(&["--time-limit", "100s"]);
    client.open(&uri);
    command::await_worker(client.child.id());
    client.end();
}

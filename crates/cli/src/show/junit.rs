//! Results as JUnit XML, which continuous integration shows: FALSE is a failure, what was not decided is skipped, what
//! could not be read is an error.

use super::{Answer, TargetAnswer};
use crate::batch::TaskResult;
use base::markup;

/// The document of one answer: one test, or one for each error.
pub fn render(answer: &Answer) -> String {
    let name = answer.files.join(" ");
    if let Ok(found) = &answer.result
        && !found.outcome.targets.is_empty()
    {
        let one = |TargetAnswer { place, verdict, reason, .. }: TargetAnswer| {
            let name = format!("{}:{}:{}", place.file, place.line, place.column);
            case(&name, &verdict.to_string(), reason.as_deref(), answer.seconds)
        };
        return document(&found.targets().map(one).collect::<Vec<String>>(), answer.seconds);
    }
    document(&[case(&name, &answer.word(), answer.reason().as_deref(), answer.seconds)], answer.seconds)
}

/// The document of several tasks.
pub fn suite(results: &[TaskResult]) -> String {
    let cases: Vec<String> = results
        .iter()
        .map(|result| case(&result.file, &result.word, result.reason.as_deref(), result.seconds))
        .collect();
    document(&cases, results.iter().map(|result| result.seconds).sum())
}

/// The document about input that cannot be used.
pub fn mistake(name: &str, mistake: &str) -> String {
    document(&[case(name, "ERROR", Some(mistake), 0.0)], 0.0)
}

fn document(cases: &[String], seconds: f64) -> String {
    let count = |tag: &str| cases.iter().filter(|case| case.contains(tag)).count();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"argonaut\" tests=\"{}\" \
         failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">\n{}</testsuite>\n</testsuites>\n",
        cases.len(),
        count("<failure "),
        count("<error "),
        count("<skipped "),
        cases.concat()
    )
}

fn case(name: &str, word: &str, reason: Option<&str>, seconds: f64) -> String {
    let reason = markup(reason.unwrap_or(""));
    let inner = match word {
        "TRUE" => String::new(),
        "FALSE" => "<failure message=\"FALSE: an error is reached\"/>".into(),
        "UNKNOWN" => format!("<skipped message=\"UNKNOWN: {reason}\"/>"),
        _ => format!("<error message=\"{reason}\"/>"),
    };
    format!("<testcase classname=\"argonaut\" name=\"{}\" time=\"{seconds:.3}\">{inner}</testcase>\n", markup(name))
}

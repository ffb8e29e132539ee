//! `argonaut run`: executes a program with the one evaluator. Output and exit status are the program's; what ends an
//! execution otherwise is a message on standard error.

use crate::args::RunArgs;
use crate::request::request;
use base::{Cancel, Diagnostic, Span};
use cfa::{DataModel, EdgeId, FloatKind, Program, Scalar, Source};
use driver::Task;
use semantics::choices::{Asked, Choices, Chooser, Replayer};
use semantics::interpreter::{self, Options, RunEnd};
use semantics::random::Random;
use spec::Property;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Exit status of an execution that met undefined behaviour or C that is not modelled.
const CANNOT_GO_ON: u8 = 3;
/// Exit status of an execution that met an error, as after `abort`.
const ABORTED: u8 = 134;

/// Executes the program; the exit status is the program's.
pub fn run(args: &RunArgs) -> Result<u8, String> {
    let inputs = inputs(args)?;
    let mut task = Task::new(request(&args.program, None)?).map_err(|error| error.to_string())?;
    task.property = Property::NoFailure;
    task.running = true;
    let program = driver::load(&task).map_err(|error| error.to_string())?.program;
    let zeros = Choices::default();
    let rest: Box<dyn Chooser> = match args.seed {
        Some(seed) => Box::new(Random::new(seed)),
        None => Box::new(Replayer::new(&zeros)),
    };
    let mut chooser = TypedInputs { list: inputs, rest, input: std::io::stdin().lock(), started: Instant::now() };
    let mut out = std::io::BufWriter::new(UntilClosed(std::io::stdout()));
    let options = Options { undefined: program.undefined, ..Options::default() };
    let run = interpreter::run(&program, &mut chooser, &mut out, &options, &Cancel::never());
    // The reader may be gone.
    let _ = out.flush();
    Ok(status(&program, &run.outcome))
}

fn status(program: &Program, outcome: &RunEnd) -> u8 {
    let say = |span: Span, message: String| {
        let _ = writeln!(std::io::stderr(), "{}", Diagnostic::error(span, message).render(&program.sources));
    };
    match outcome {
        RunEnd::Exit(status) => *status as u8,
        RunEnd::Target(target) => {
            let target = &program.targets[*target];
            say(target.span, program.describe_target(target));
            ABORTED
        }
        RunEnd::Undefined { what, span } => {
            say(*span, format!("undefined behaviour: {what}"));
            CANNOT_GO_ON
        }
        RunEnd::Unsupported { what, span } => {
            say(*span, format!("unsupported: {what}"));
            CANNOT_GO_ON
        }
        RunEnd::Assumed => {
            let _ = writeln!(
                std::io::stderr(),
                "argonaut: an assumption fails, so this is not an execution of the program"
            );
            CANNOT_GO_ON
        }
        RunEnd::StepLimit | RunEnd::Diverged | RunEnd::Stopped(_) => {
            unreachable!("there is no limit and no path to follow")
        }
    }
}

/// Standard output as programs know it: when the reader goes away, the program ends.
struct UntilClosed(std::io::Stdout);

/// Exit status of a program whose reader went away, as a shell sees signal 13.
const NO_READER: i32 = 141;

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.0.write(bytes);
        if written.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
            std::process::exit(NO_READER);
        }
        written
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// A value as the user wrote it; its type is known when the program asks.
enum Input {
    Integer(i128),
    Float(f64),
}

impl Input {
    fn parse(text: &str) -> Option<Input> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let integer = match digits.strip_prefix("0x") {
            Some(hex) => u128::from_str_radix(hex, 16).ok().map(|bits| bits as i128),
            None => digits.parse::<u128>().ok().map(|bits| bits as i128),
        };
        integer.map(|value| Input::Integer(sign * value)).or_else(|| text.parse().ok().map(Input::Float))
    }

    /// The encoding as a value of this type; the chooser's caller cuts it to the type's width.
    fn bits(&self, ty: Scalar) -> u128 {
        let number = match *self {
            Input::Integer(value) => value as f64,
            Input::Float(value) => value,
        };
        match (ty, self) {
            (Scalar::Float(_), _) => {
                let double = Scalar::Float(FloatKind::F64);
                // No float conversion depends on the data model or is undefined.
                semantics::scalar::cast(DataModel::Lp64, double, ty, u128::from(number.to_bits())).unwrap_or(0)
            }
            (_, Input::Integer(value)) => *value as u128,
            (_, Input::Float(value)) => *value as i128 as u128,
        }
    }
}

/// The user's values for inputs; after their end, and for everything that is not an input, another chooser.
struct TypedInputs<'c> {
    list: VecDeque<Input>,
    rest: Box<dyn Chooser + 'c>,
    input: std::io::StdinLock<'static>,
    started: Instant,
}

impl Chooser for TypedInputs<'_> {
    fn outside(&mut self, asked: Asked) -> Option<i64> {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).ok();
        match asked {
            Asked::Input => match (&mut self.input).bytes().next() {
                Some(Ok(byte)) => Some(byte.into()),
                Some(Err(_)) | None => Some(-1),
            },
            Asked::Seconds => i64::try_from(now()?.as_secs()).ok(),
            Asked::Nanoseconds => Some(now()?.subsec_nanos().into()),
            Asked::Processor => i64::try_from(self.started.elapsed().as_micros()).ok(),
        }
    }
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        let listed = if let Source::Input(_) = source { self.list.pop_front() } else { None };
        listed.map_or_else(|| self.rest.havoc(edge, source, ty), |input| input.bits(ty))
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.rest.byte(birth, offset)
    }
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        self.rest.undefined(edge, ty)
    }
}

fn inputs(args: &RunArgs) -> Result<VecDeque<Input>, String> {
    let file = match &args.input_file {
        Some(path) => driver::read_text(path, "input values").map_err(|error| error.to_string())?,
        None => String::new(),
    };
    let listed = args.inputs.iter().map(String::as_str);
    let values = listed.chain(file.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()));
    values
        .map(|text| {
            Input::parse(text).ok_or_else(|| format!("input `{text}`: expected a number such as 7, -1, 0xff or 0.5"))
        })
        .collect()
}

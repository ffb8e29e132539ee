//! Witnesses as data, whatever file they come from or go to.

/// A witness.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// Who wrote it, about what.
    pub metadata: Metadata,
    /// What it says.
    pub content: Content,
}

/// Who wrote a witness, about what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    /// `2.0`; of GraphML `1.0`.
    pub format_version: String,
    /// RFC 4122; none in GraphML.
    pub uuid: String,
    /// ISO 8601.
    pub creation_time: String,
    /// The tool.
    pub producer: String,
    /// Its version.
    pub version: String,
    /// The program's files.
    pub input_files: Vec<String>,
    /// SHA-256 of files by name.
    pub hashes: Vec<(String, String)>,
    /// The property, as a `.prp` file has it.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// `C`
    pub language: String,
}

/// What a witness says.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// An execution passes these segments one after the other; the last one ends at the error.
    Violation(Vec<Vec<Waypoint>>),
    /// These hold in all executions.
    Correctness(Vec<Invariant>),
}

/// A place in the file that the witness was read from; 0 where it was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
}

/// A condition on an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What it is about.
    pub kind: WaypointKind,
    /// Whether the execution must pass it.
    pub action: Action,
    /// Where.
    pub location: Location,
    /// What must hold there.
    pub constraint: Option<String>,
    /// Where it was read.
    pub mark: Mark,
}

/// Kinds of waypoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// A condition that holds just before a statement.
    Assumption,
    /// The way that a branch goes.
    Branching,
    /// A call.
    FunctionEnter,
    /// A return, with what is known of the result.
    FunctionReturn,
    /// The error.
    Target,
}

impl WaypointKind {
    /// All kinds with their names in the format.
    pub const NAMES: [(&'static str, WaypointKind); 5] = [
        ("assumption", WaypointKind::Assumption),
        ("branching", WaypointKind::Branching),
        ("function_enter", WaypointKind::FunctionEnter),
        ("function_return", WaypointKind::FunctionReturn),
        ("target", WaypointKind::Target),
    ];

    /// Its name in the format.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).expect("all kinds are listed").0
    }
}

/// What an execution does about a waypoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Passes it.
    Follow,
    /// Does not pass it before the segment's `follow`.
    Avoid,
    /// Passes it again and again, forever.
    Cycle,
}

/// A place in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: Option<u32>,
    /// The function around it.
    pub function: Option<String>,
}

/// An invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Whether it is one of a loop.
    pub is_loop: bool,
    /// Whether it relates a visit of the loop to each earlier one, whose values are `\at(x, AnyPrev)`.
    pub transition: bool,
    /// Where.
    pub location: Location,
    /// A C expression.
    pub value: String,
    /// Where it was read.
    pub mark: Mark,
}

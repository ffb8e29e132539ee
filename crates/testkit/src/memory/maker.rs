//! Makes a program of a seed: objects first, then statements over them, then what is observed.

use super::objects::{self, GeneratedObject};
use super::{Input, Program, helpers, observe, statements};
use cfa::DataModel;
use semantics::random::Random;

/// A type of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    pub name: &'static str,
    pub size: u64,
}

/// A program in the making.
pub(super) struct Maker {
    pub random: Random,
    pub model: DataModel,
    pub program: Program,
    pub objects: Vec<GeneratedObject>,
    /// Names and greatest values of unsigned variables that hold inputs.
    pub inputs: Vec<(String, u64)>,
    /// Whether elements have constant indices, so that verifiers may take arrays apart.
    apart: bool,
    fresh: u32,
}

/// The program of a seed.
pub fn generate(seed: u64, model: DataModel) -> Program {
    let (names, file, inputs, body, observed) = Default::default();
    let program = Program { seed, model, names, file, inputs, body, observed };
    let random = Random::new(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
    let (objects, inputs) = Default::default();
    let mut maker = Maker { random, model, program, objects, inputs, apart: false, fresh: 0 };
    // Half of the programs are short, for what goes wrong seldom and is hidden easily.
    maker.apart = maker.one_in(2);
    maker.read_inputs();
    for _ in 0..2 + maker.below(2) {
        objects::add(&mut maker);
    }
    for _ in 0..if maker.apart { 1 + maker.below(3) } else { 3 + maker.below(4) } {
        let lines = statements::wrapped(&mut maker);
        maker.program.body.extend(lines);
    }
    observe::observe(&mut maker);
    maker.program
}

impl Maker {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// True once in `times` on average.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, kind: &str) -> String {
        self.fresh += 1;
        format!("{kind}{}", self.fresh)
    }

    pub fn int(&mut self) -> Int {
        let word = match self.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        };
        let all = [
            ("char", 1),
            ("signed char", 1),
            ("unsigned char", 1),
            ("short", 2),
            ("unsigned short", 2),
            ("int", 4),
            ("int", 4),
            ("unsigned", 4),
            ("long", word),
            ("unsigned long", word),
            ("long long", 8),
            ("unsigned long long", 8),
        ];
        let (name, size) = *self.pick(&all);
        Int { name, size }
    }

    /// A constant, often with different bytes.
    pub fn constant(&mut self) -> String {
        match self.below(8) {
            0 => "0x01020304".into(),
            1 => "-1".into(),
            2 => "0x8040".into(),
            3 => "0".into(),
            _ => (1 + self.below(120)).to_string(),
        }
    }

    /// One or two inputs of together at most five bits.
    fn read_inputs(&mut self) {
        let two = self.one_in(3);
        let bits = if two { 2 } else { 1 + self.below(4) };
        self.read_input("x", bits);
        if two {
            let bits = 1 + self.below(3);
            self.read_input("y", bits);
        }
    }

    fn read_input(&mut self, name: &str, bits: u64) {
        let most = (1_u64 << bits) - 1;
        let line = match self.below(5) {
            0 => format!("unsigned char {name} = __VERIFIER_nondet_uchar(); if ({name} > {most}) return 0;"),
            1 => format!("unsigned {name} = __VERIFIER_nondet_uint() & {most};"),
            2 => format!("int {name} = __VERIFIER_nondet_int(); if ({name} < 0 || {name} > {most}) return 0;"),
            3 => format!("unsigned short {name} = __VERIFIER_nondet_short() & {most};"),
            _ => format!("unsigned {name} = __VERIFIER_nondet_uint(); if ({name} > {most}) return 0;"),
        };
        self.program.inputs.push(Input { line, values: (0..=most as i64).collect() });
        self.inputs.push((name.to_owned(), most));
    }

    pub fn input(&mut self) -> (String, u64) {
        let inputs = self.inputs.clone();
        self.pick(&inputs).clone()
    }

    /// The name of one of the program's own functions, which from now on it has.
    pub fn own(&mut self, name: &'static str) -> &'static str {
        if !self.program.names.iter().any(|known| known == name) {
            self.program.names.push(name.into());
            // Lines that belong together stay one line of the list: they are removed together.
            self.program.file.push(helpers::own(name).into());
        }
        name
    }

    /// An expression below `length`, which is not 0.
    pub fn index(&mut self, length: u64) -> String {
        let (input, most) = self.input();
        let kind = match self.apart {
            true => self.below(4) * 7,
            false => self.below(8),
        };
        match kind {
            0 | 1 => self.below(length).to_string(),
            2 if most < length => input,
            3 if length.is_power_of_two() => format!("({input} & {})", length - 1),
            4 => format!("(unsigned char)({input} * 64 + {}) % {length}", self.random.below(300)),
            5 => format!("(unsigned short)({input} * 1024u + 260) % {length}u"),
            6 => {
                let step = 1 + self.below(3);
                format!("({input} * {step} + {}) % {length}u", self.random.below(9))
            }
            7 => {
                // A multiple of 256, which the cast takes away.
                let step = *self.pick(&[256, 512, 1024]);
                format!("(unsigned char)({input} * {step} + {})", 256 + self.random.below(length))
            }
            _ if self.apart => self.below(length).to_string(),
            _ => format!("{input} % {length}u"),
        }
    }

    /// A number of bytes, at most `most`; a line before it may be needed.
    pub fn size(&mut self, most: u64, lines: &mut Vec<String>) -> String {
        let (input, greatest) = self.input();
        match self.below(8) {
            0 | 1 => (1 + self.below(most)).to_string(),
            2 => format!("{input} % {}u", most + 1),
            3 if greatest <= most => input,
            3 => most.to_string(),
            4 if most >= 4 => {
                let name = self.fresh("n");
                lines.push(format!("unsigned {name} = {};", 1 + self.below(most / 4)));
                format!("{name} * sizeof(int)")
            }
            5 => {
                let (name, one, other) = (self.fresh("n"), self.below(most + 1), self.below(most + 1));
                lines.push(format!("unsigned {name} = {input} & 1 ? {one} : {other};"));
                name
            }
            _ => {
                // Constant on every path, but not in the text.
                let name = self.fresh("n");
                lines.push(format!("unsigned {name} = {};", 1 + self.below(most)));
                name
            }
        }
    }

    /// A value of an integer type.
    pub fn value(&mut self) -> String {
        let (input, _) = self.input();
        match self.below(7) {
            0 => self.constant(),
            1 => input,
            2 => format!("{input} * {} + {}", 1 + self.random.below(300), self.random.below(50)),
            3 => format!("({input} ? {} : {})", self.constant(), self.constant()),
            4 => self.place().text,
            5 => format!("{} + {input}", self.place().text),
            _ => {
                let int = self.int();
                format!("({}){}", int.name, self.place().text)
            }
        }
    }
}

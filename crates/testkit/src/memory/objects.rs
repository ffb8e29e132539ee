//! Objects of generated programs: of all storage classes and types, each with every byte set that is ever read.

use super::maker::{Int, Maker};

/// Something that an integer can be written to and read from.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub text: String,
    pub int: Int,
    /// Bit-fields have no address.
    pub addressable: bool,
}

/// Bytes of an object from its start on.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub start: String,
    /// The object has at least so many.
    pub size: u64,
    /// How many it has, in C; `size` where it may depend on inputs.
    pub whole: String,
    /// Without padding, so that all of it may be read.
    pub solid: bool,
}

/// `base[0]` to `base[length - 1]`.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub base: String,
    pub int: Int,
    pub length: u64,
}

/// What statements know about an object.
#[derive(Clone, Debug, Default)]
pub(super) struct GeneratedObject {
    pub places: Vec<Lvalue>,
    pub range: Option<Range>,
    pub elements: Vec<Elements>,
    /// An lvalue of a struct type, and the type.
    pub aggregate: Option<(String, String)>,
}

fn place(text: String, int: Int) -> Lvalue {
    Lvalue { text, int, addressable: true }
}

impl Maker {
    pub fn object(&mut self) -> GeneratedObject {
        let at = self.below(self.objects.len() as u64) as usize;
        self.objects[at].clone()
    }

    pub fn place(&mut self) -> Lvalue {
        let object = self.object();
        let elements = object.elements.first().cloned();
        match elements {
            Some(elements) if self.one_in(2) => self.element(&elements),
            _ => self.pick(&object.places).clone(),
        }
    }

    /// A place with an address.
    pub fn addressable(&mut self) -> Lvalue {
        loop {
            let place = self.place();
            if place.addressable {
                return place;
            }
        }
    }

    pub fn element(&mut self, elements: &Elements) -> Lvalue {
        let index = self.index(elements.length);
        place(format!("{}[{index}]", elements.base), elements.int)
    }

    pub fn elements(&mut self) -> Option<Elements> {
        let object = self.object();
        (!object.elements.is_empty()).then(|| self.pick(&object.elements).clone())
    }

    /// A list of constants in braces.
    fn list(&mut self, length: u64) -> String {
        let constants: Vec<String> = (0..length).map(|_| self.constant()).collect();
        format!("{{{}}}", constants.join(", "))
    }

    /// Declares a variable with file scope, a static one, or a local one.
    fn declare(&mut self, name: &str, declaration: String) {
        match self.below(5) {
            0 => self.at_file(name, declaration),
            1 => self.at_file(name, format!("static {declaration}")),
            2 => self.program.body.push(format!("static {declaration}")),
            _ => self.program.body.push(declaration),
        }
    }

    pub fn at_file(&mut self, name: &str, line: String) {
        self.program.names.push(name.to_owned());
        self.program.file.push(line);
    }
}

/// Adds an object to the program.
pub(super) fn add(maker: &mut Maker) {
    let object = match maker.below(14) {
        0 => scalar(maker),
        1 | 2 => array(maker),
        3 => matrix(maker),
        4 | 5 => record(maker, false),
        6 => record(maker, true),
        7 => bit_fields(maker),
        8 => union(maker),
        9 => records(maker),
        10 => heap(maker),
        11 => flexible(maker),
        12 => on_stack(maker),
        _ => resized(maker),
    };
    maker.objects.push(object);
}

fn scalar(maker: &mut Maker) -> GeneratedObject {
    let (name, int, value) = (maker.fresh("a"), maker.int(), maker.constant());
    maker.declare(&name, format!("{} {name} = {value};", int.name));
    let range = Range { start: format!("&{name}"), size: int.size, whole: format!("sizeof {name}"), solid: true };
    GeneratedObject { places: vec![place(name, int)], range: Some(range), ..GeneratedObject::default() }
}

/// `length` elements at `name`, which may be a pointer or an array.
fn elements(name: &str, int: Int, length: u64) -> GeneratedObject {
    let places = (0..length).map(|at| place(format!("{name}[{at}]"), int)).collect();
    let size = length * int.size;
    let range = Range { start: name.to_owned(), size, whole: size.to_string(), solid: true };
    let all = Elements { base: name.to_owned(), int, length };
    GeneratedObject { places, range: Some(range), elements: vec![all], aggregate: None }
}

fn array(maker: &mut Maker) -> GeneratedObject {
    let (name, int, length) = (maker.fresh("a"), maker.int(), 2 + maker.below(5));
    let list = maker.list(length);
    maker.declare(&name, format!("{} {name}[{length}] = {list};", int.name));
    elements(&name, int, length)
}

fn matrix(maker: &mut Maker) -> GeneratedObject {
    let (name, int, rows, columns) = (maker.fresh("m"), maker.int(), 2 + maker.below(2), 2 + maker.below(2));
    let lists: Vec<String> = (0..rows).map(|_| maker.list(columns)).collect();
    maker.declare(&name, format!("{} {name}[{rows}][{columns}] = {{{}}};", int.name, lists.join(", ")));
    let (row, column) = (maker.index(rows), maker.below(columns));
    let places = vec![place(format!("{name}[{row}][{column}]"), int), place(format!("{name}[1][0]"), int)];
    let row = maker.index(rows);
    let size = rows * columns * int.size;
    let range = Range { start: name.clone(), size, whole: format!("sizeof {name}"), solid: true };
    let elements = vec![Elements { base: format!("{name}[{row}]"), int, length: columns }];
    GeneratedObject { places, range: Some(range), elements, aggregate: None }
}

/// A new struct type of two to four fields, as C, and its fields: name, type, length if it is an array.
fn record_type(maker: &mut Maker, packed: bool) -> (String, Vec<(String, Int, Option<u64>)>) {
    let tag = maker.fresh("S");
    let names = ["f", "g", "h", "k"];
    // Fields of one type leave no padding, so that the struct may be read as bytes.
    let only = maker.one_in(2).then(|| maker.int());
    let fields: Vec<_> = (0..2 + maker.below(3) as usize)
        .map(|at| {
            let int = only.unwrap_or_else(|| maker.int());
            (names[at].to_owned(), int, maker.one_in(3).then(|| 2 + maker.random.below(3)))
        })
        .collect();
    let lines: Vec<String> = fields
        .iter()
        .map(|(name, int, length)| match length {
            Some(length) => format!("{} {name}[{length}];", int.name),
            None => format!("{} {name};", int.name),
        })
        .collect();
    let attribute = if packed { " __attribute__((packed))" } else { "" };
    maker.at_file(&tag, format!("struct {tag} {{ {} }}{attribute};", lines.join(" ")));
    (format!("struct {tag}"), fields)
}

/// Whether all fields have one size, hence no padding between or after them.
fn without_padding(fields: &[(String, Int, Option<u64>)]) -> bool {
    fields.iter().all(|(_, int, _)| int.size == fields[0].1.size)
}

/// The places of a struct that `lvalue` names.
fn fields(lvalue: &str, fields: &[(String, Int, Option<u64>)], packed: bool) -> (Vec<Lvalue>, Vec<Elements>, u64) {
    let (mut places, mut elements, mut size) = (Vec::new(), Vec::new(), 0);
    for (name, int, length) in fields {
        let text = format!("{lvalue}.{name}");
        size += int.size * length.unwrap_or(1);
        match length {
            Some(length) => {
                places.push(place(format!("{text}[{}]", length - 1), *int));
                elements.push(Elements { base: text, int: *int, length: *length });
            }
            None => places.push(place(text, *int)),
        }
    }
    if packed {
        // A pointer to such a field need not be aligned.
        places.iter_mut().for_each(|place| place.addressable = place.int.size == 1);
        elements.retain(|elements| elements.int.size == 1);
    }
    (places, elements, size)
}

fn record(maker: &mut Maker, packed: bool) -> GeneratedObject {
    let name = maker.fresh("s");
    let (ty, list) = record_type(maker, packed);
    let values: Vec<String> = list
        .iter()
        .map(|(field, _, length)| match length {
            Some(length) => format!(".{field} = {}", maker.list(*length)),
            None => format!(".{field} = {}", maker.constant()),
        })
        .collect();
    maker.declare(&name, format!("{ty} {name} = {{{}}};", values.join(", ")));
    let (mut places, elements, size) = fields(&name, &list, packed);
    if places.iter().all(|place| !place.addressable) {
        places.push(scalar(maker).places.remove(0));
    }
    let range = Range {
        start: format!("&{name}"),
        size,
        whole: format!("sizeof {name}"),
        solid: packed || without_padding(&list),
    };
    GeneratedObject { places, range: Some(range), elements, aggregate: Some((name, ty)) }
}

/// An array of structs.
fn records(maker: &mut Maker) -> GeneratedObject {
    let (name, length) = (maker.fresh("t"), 2 + maker.below(3));
    let (ty, list) = record_type(maker, false);
    let row: Vec<String> = (0..length)
        .map(|_| {
            let values = list.iter().map(|(_, _, length)| match length {
                Some(length) => maker.list(*length),
                None => maker.constant(),
            });
            format!("{{{}}}", values.collect::<Vec<_>>().join(", "))
        })
        .collect();
    maker.declare(&name, format!("{ty} {name}[{length}] = {{{}}};", row.join(", ")));
    let lvalue = format!("{name}[{}]", maker.index(length));
    let (mut places, elements, size) = fields(&lvalue, &list, false);
    places.extend(fields(&format!("{name}[1]"), &list, false).0);
    let solid = without_padding(&list);
    let range = Range { start: name.clone(), size: size * length, whole: format!("sizeof {name}"), solid };
    GeneratedObject { places, range: Some(range), elements, aggregate: Some((lvalue, ty)) }
}

fn bit_fields(maker: &mut Maker) -> GeneratedObject {
    let (name, tag) = (maker.fresh("b"), maker.fresh("B"));
    let mut text = String::new();
    let mut places = Vec::new();
    for field in ["f", "g", "h", "k"] {
        let (name_of, width) = *maker.pick(&[("unsigned", 32), ("int", 32), ("unsigned char", 8), ("short", 16)]);
        let int = Int { name: name_of, size: width / 8 };
        let bits = 1 + maker.below(width.min(20));
        text += &format!("{name_of} {field} : {bits}; ");
        places.push(Lvalue { text: format!("{name}.{field}"), int, addressable: false });
        if maker.one_in(5) {
            text += "int : 0; ";
        }
    }
    let int = maker.int();
    text += &format!("{} plain;", int.name);
    places.push(place(format!("{name}.plain"), int));
    let attribute = if maker.one_in(3) { " __attribute__((packed))" } else { "" };
    places[4].addressable = attribute.is_empty() || int.size == 1;
    if !places[4].addressable {
        places.push(scalar(maker).places.remove(0));
    }
    maker.at_file(&tag, format!("struct {tag} {{ {text} }}{attribute};"));
    let list = maker.list(5);
    maker.declare(&name, format!("struct {tag} {name} = {list};"));
    let range = Range { start: format!("&{name}"), size: 4, whole: format!("sizeof {name}"), solid: false };
    GeneratedObject {
        places,
        range: Some(range),
        elements: Vec::new(),
        aggregate: Some((name, format!("struct {tag}"))),
    }
}

fn union(maker: &mut Maker) -> GeneratedObject {
    let (name, tag) = (maker.fresh("u"), maker.fresh("U"));
    let wide = Int { name: "unsigned long long", size: 8 };
    let (int, small) =
        (maker.int(), *maker.pick(&[Int { name: "unsigned char", size: 1 }, Int { name: "short", size: 2 }]));
    let length = 8 / small.size;
    let union = format!("union {tag} {{ {} w; {} v; {} p[{length}]; }};", wide.name, int.name, small.name);
    maker.at_file(&tag, union);
    let value = maker.constant();
    maker.declare(&name, format!("union {tag} {name} = {{.w = {value}}};"));
    let places =
        vec![place(format!("{name}.w"), wide), place(format!("{name}.v"), int), place(format!("{name}.p[1]"), small)];
    let range = Range { start: format!("&{name}"), size: 8, whole: format!("sizeof {name}"), solid: true };
    let elements = vec![Elements { base: format!("{name}.p"), int: small, length }];
    GeneratedObject { places, range: Some(range), elements, aggregate: Some((name, format!("union {tag}"))) }
}

/// Sets all elements of what was just allocated.
fn set_all(maker: &mut Maker, name: &str, count: &str) {
    let (step, first, index) = (1 + maker.below(90), maker.below(9), maker.fresh("i"));
    let line =
        format!("for (int {index} = 0; {index} < {count}; {index}++) {name}[{index}] = {index} * {step} + {first};");
    maker.program.body.push(line);
}

fn heap(maker: &mut Maker) -> GeneratedObject {
    let (name, int, length) = (maker.fresh("h"), maker.int(), 2 + maker.below(4));
    let (input, _) = maker.input();
    match maker.below(3) {
        0 => maker.program.body.push(format!("{0} *{name} = calloc({length}, sizeof({0}));", int.name)),
        1 => {
            // How much there is depends on an input; statements use what there always is.
            maker.program.body.push(format!("{0} *{name} = malloc(({length} + {input}) * sizeof({0}));", int.name));
            set_all(maker, &name, &format!("{length} + (int){input}"));
        }
        _ => {
            maker.program.body.push(format!("{} *{name} = malloc({});", int.name, length * int.size));
            set_all(maker, &name, &length.to_string());
        }
    }
    elements(&name, int, length)
}

fn flexible(maker: &mut Maker) -> GeneratedObject {
    let (name, tag, int, length) = (maker.fresh("h"), maker.fresh("F"), maker.int(), 2 + maker.below(3));
    let (head, value) = (maker.int(), maker.constant());
    maker.at_file(&tag, format!("struct {tag} {{ {} n; {} d[]; }};", head.name, int.name));
    let body = &mut maker.program.body;
    body.push(format!("struct {tag} *{name} = malloc(sizeof *{name} + {length} * sizeof({}));", int.name));
    body.push(format!("{name}->n = {value};"));
    let data = format!("{name}->d");
    set_all(maker, &data, &length.to_string());
    let mut object = elements(&data, int, length);
    object.places.push(place(format!("{name}->n"), head));
    object
}

fn on_stack(maker: &mut Maker) -> GeneratedObject {
    let (name, int, length) = (maker.fresh("v"), maker.int(), 2 + maker.below(4));
    let (input, _) = maker.input();
    let line = match maker.below(3) {
        0 => format!("{0} *{name} = __builtin_alloca({length} * sizeof({0}));", int.name),
        1 => format!("{} {name}[{length} + {input}];", int.name),
        _ => {
            let size = maker.fresh("n");
            maker.program.body.push(format!("int {size} = {length};"));
            format!("{} {name}[{size}];", int.name)
        }
    };
    maker.program.body.push(line);
    set_all(maker, &name, &length.to_string());
    elements(&name, int, length)
}

/// Memory that `realloc` made larger or smaller.
fn resized(maker: &mut Maker) -> GeneratedObject {
    let (name, int) = (maker.fresh("h"), maker.int());
    let (first, second) = (1 + maker.below(5), 1 + maker.below(5));
    let allocate = *maker.pick(&["malloc(", "calloc(1, "]);
    let body = &mut maker.program.body;
    body.push(format!("{0} *{name} = {allocate}{first} * sizeof({0}));", int.name));
    set_all(maker, &name, &first.to_string());
    let (input, most) = maker.input();
    let extra = if maker.one_in(3) { format!("({second} + {input} % 2u)") } else { second.to_string() };
    maker.program.body.push(format!("{name} = realloc({name}, {extra} * sizeof({}));", int.name));
    if second > first {
        let (index, value) = (maker.fresh("i"), maker.below(50 + most));
        let line = format!("for (int {index} = {first}; {index} < {second}; {index}++) {name}[{index}] = {value};");
        maker.program.body.push(line);
    }
    elements(&name, int, second)
}

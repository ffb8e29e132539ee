//! Random struct and union types: sizes, alignments, member offsets and the bytes behind bit-fields are those of gcc.

use cfa::DataModel;
use semantics::random::Random;

/// A member that later lines of the program look at.
struct Member {
    name: String,
    bit_field: bool,
}

/// A record that was generated: how C names it, its members and whether it can be nested.
struct Record {
    name: String,
    members: Vec<Member>,
    flexible: bool,
}

struct Generator<'r> {
    random: &'r mut Random,
    model: DataModel,
    records: Vec<Record>,
    text: String,
}

/// A program that prints the layout of `count` random types.
pub fn generate(random: &mut Random, count: usize, model: DataModel) -> String {
    let size_type = match model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let prelude = format!(
        "int printf(const char *, ...);\nvoid *memset(void *, int, {size_type});\n\
         enum small {{ S0, S1, S2 = 100 }};\nenum negative {{ N0 = -5, N1 = 3 }};\n\
         enum large {{ L0 = 0xFFFFFFFFu }};\nenum __attribute__((packed)) tiny {{ T0, T1 = 200 }};\n\
         typedef int aligned_int __attribute__((aligned(16)));\ntypedef short low_short __attribute__((aligned(1)));\n\
         static void dump(const void *p, {size_type} n) {{\n  for ({size_type} i = 0; i < n; i++)\n    \
         printf(\"%02x\", ((const unsigned char *)p)[i]);\n  printf(\"\\n\");\n}}\n"
    );
    let mut generator = Generator { random, model, records: Vec::new(), text: prelude };
    for at in 0..count {
        generator.record(at);
    }
    generator.main();
    generator.text
}

impl Generator<'_> {
    fn one_in(&mut self, n: u64) -> bool {
        self.random.below(n) == 0
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn record(&mut self, at: usize) {
        let pragma = self.one_in(6).then(|| self.pick(&["1", "2", "4", "8", "16"]).to_owned());
        if let Some(pack) = &pragma {
            self.line(&format!("#pragma pack(push, {pack})"));
        }
        let keyword = if self.one_in(4) { "union" } else { "struct" };
        let mut attributes = String::new();
        if self.one_in(5) {
            attributes += " __attribute__((packed))";
        }
        if self.one_in(7) {
            attributes += &format!(" __attribute__((aligned({})))", self.pick(&["1", "2", "4", "8", "16", "32"]));
        }
        let mut members = Vec::new();
        let count = 1 + self.random.below(7);
        let mut body = String::new();
        for index in 0..count {
            body += &self.member(&format!("m{index}"), 0, &mut members);
        }
        let flexible = keyword == "struct" && !members.is_empty() && self.one_in(10);
        if flexible {
            body += &format!("  {} tail[];\n", self.pick(&["char", "int", "double", "long long"]));
        }
        self.text += &format!("{keyword} R{at} {{\n{body}}}{attributes};\n");
        if pragma.is_some() {
            self.line("#pragma pack(pop)");
        }
        self.records.push(Record { name: format!("{keyword} R{at}"), members, flexible });
    }

    fn member(&mut self, name: &str, depth: u32, members: &mut Vec<Member>) -> String {
        if depth < 2 && self.one_in(10) {
            let keyword = self.pick(&["struct", "union"]);
            let count = 1 + self.random.below(3);
            let inner: String =
                (0..count).map(|index| self.member(&format!("{name}_{index}"), depth + 1, members)).collect();
            let packed = if self.one_in(4) { " __attribute__((packed))" } else { "" };
            return format!("  {keyword} {{\n{inner}  }}{packed};\n");
        }
        if self.one_in(3) {
            return self.bit_field(name, members);
        }
        let mut ty = self.plain_type();
        if self.one_in(6) && !self.records.is_empty() {
            let index = self.random.below(self.records.len() as u64) as usize;
            if !self.records[index].flexible {
                ty = self.records[index].name.clone();
            }
        }
        let array = match self.random.below(6) {
            // Elements must not be aligned beyond their size.
            _ if ty == "aligned_int" => String::new(),
            0 => format!("[{}]", 1 + self.random.below(5)),
            1 if self.one_in(4) => "[2][3]".to_owned(),
            _ => String::new(),
        };
        let attribute = self.member_attribute();
        members.push(Member { name: name.to_owned(), bit_field: false });
        format!("  {ty} {name}{array}{attribute};\n")
    }

    fn member_attribute(&mut self) -> String {
        match self.random.below(12) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((aligned({})))", self.pick(&["1", "2", "4", "8", "16", "32"])),
            2 => format!(" __attribute__((packed, aligned({})))", self.pick(&["2", "4"])),
            _ => String::new(),
        }
    }

    fn plain_type(&mut self) -> String {
        if self.model == DataModel::Lp64 && self.one_in(20) {
            return "__int128".to_owned();
        }
        let all = [
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "float",
            "double",
            "long double",
            "__float128",
            "_Bool",
            "void *",
            "int (*)(void)",
            "enum small",
            "enum negative",
            "enum large",
            "enum tiny",
            "aligned_int",
            "low_short",
        ];
        let ty = self.pick(&all);
        // A declarator around the name is not needed to see a layout.
        if ty.contains("(*)") { "char *".to_owned() } else { ty.to_owned() }
    }

    fn bit_field(&mut self, name: &str, members: &mut Vec<Member>) -> String {
        let long = match self.model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        };
        let all = [
            ("_Bool", 1),
            ("char", 8),
            ("signed char", 8),
            ("unsigned char", 8),
            ("short", 16),
            ("unsigned short", 16),
            ("int", 32),
            ("unsigned", 32),
            ("long", long),
            ("unsigned long", long),
            ("long long", 64),
            ("unsigned long long", 64),
            ("enum small", 32),
            ("enum negative", 32),
            ("enum tiny", 8),
        ];
        let (ty, bits) = all[self.random.below(all.len() as u64) as usize];
        if self.one_in(8) {
            // Unnamed ones pad; those of width 0 end the unit.
            let width = if self.one_in(2) { 0 } else { 1 + self.random.below(bits) };
            return format!("  {ty} : {width};\n");
        }
        let width = 1 + self.random.below(bits);
        let attribute = match self.random.below(14) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((aligned({})))", self.pick(&["1", "2", "4", "8"])),
            _ => String::new(),
        };
        members.push(Member { name: name.to_owned(), bit_field: true });
        format!("  {ty} {name} : {width}{attribute};\n")
    }

    fn main(&mut self) {
        let mut calls = String::new();
        for (at, record) in std::mem::take(&mut self.records).iter().enumerate() {
            let name = &record.name;
            let mut body = format!(
                "  printf(\"{name} %d %d\\n\", (int)sizeof({name}), (int)_Alignof({name}));\n  static {name} x;\n"
            );
            for member in &record.members {
                let field = &member.name;
                body += &if member.bit_field {
                    format!(
                        "  memset(&x, 0, sizeof x); x.{field} = -1; dump(&x, sizeof x);\n  \
                         memset(&x, 0xA5, sizeof x); printf(\"%lld \", (long long)x.{field}); x.{field} = 0; \
                         dump(&x, sizeof x);\n  printf(\"%lld\\n\", (long long)(x.{field} = 0x5A5A5A5A5A));\n  \
                         printf(\"%lld\\n\", (long long)(x.{field} += 3));\n  \
                         printf(\"%lld \", (long long)(x.{field} * 77777));\n  \
                         printf(\"%lld \", (long long)((x.{field} = -1) + 1));\n  \
                         printf(\"%lld %lld \", (long long)(x.{field} << 9), (long long)-x.{field});\n  \
                         printf(\"%d \", (x.{field} = 1) > -1);\n  \
                         printf(\"%lld\\n\", (long long)(x.{field}-- - 2u));\n"
                    )
                } else {
                    format!(
                        "  printf(\"{field} %d %d %d\\n\", (int)__builtin_offsetof({name}, {field}), \
                         (int)sizeof(x.{field}), (int)__alignof__(x.{field}));\n"
                    )
                };
            }
            self.text += &format!("static void show{at}(void) {{\n{body}}}\n");
            calls += &format!("  show{at}();\n");
        }
        self.text += &format!("int main(void) {{\n{calls}  return 0;\n}}\n");
    }
}

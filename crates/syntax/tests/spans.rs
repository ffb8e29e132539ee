//! Spans: first and last byte of what they stand for.

mod check;
use check::parse;
use expect_test::{Expect, expect};

/// All expressions and statements with their bytes, in order of ids.
fn check(source: &str, expected: Expect) {
    let (ast, diagnostics, _) = parse(source);
    assert_eq!(diagnostics, []);
    let text = |span: base::Span| &source[span.start as usize..span.end as usize];
    let exprs = ast.exprs.iter().map(|(id, expr)| format!("{id} {}\n", text(expr.span)));
    let stmts = ast.stmts.iter().map(|(id, stmt)| format!("{id} {}\n", text(stmt.span)));
    expected.assert_eq(&exprs.chain(stmts).collect::<String>());
}

#[test]
fn parentheses_belong_to_the_parent() {
    check(
        "int x = (a) + (b * ((c))); int y = ((f(1)))[(2)]; int z = -(a) ? (b) : (c);",
        expect![[r#"
        e0 a
        e1 b
        e2 c
        e3 b * ((c))
        e4 (a) + (b * ((c)))
        e5 f
        e6 1
        e7 f(1)
        e8 2
        e9 ((f(1)))[(2)]
        e10 a
        e11 -(a)
        e12 b
        e13 c
        e14 -(a) ? (b) : (c)
    "#]],
    );
}

#[test]
fn operands_and_types() {
    check(
        "int x = sizeof(int) + (long) (y) + sizeof (z) + *p++ + __extension__ 1;",
        expect![[r#"
        e0 sizeof(int)
        e1 y
        e2 (long) (y)
        e3 sizeof(int) + (long) (y)
        e4 z
        e5 sizeof (z)
        e6 sizeof(int) + (long) (y) + sizeof (z)
        e7 p
        e8 p++
        e9 *p++
        e10 sizeof(int) + (long) (y) + sizeof (z) + *p++
        e11 1
        e12 sizeof(int) + (long) (y) + sizeof (z) + *p++ + __extension__ 1
    "#]],
    );
}

#[test]
fn statements() {
    check(
        "int f(void) { while (a) { b; } if (c) d; else if (e) ; int g = 1; l: case 1: return 0; do ; while (1); }",
        expect![[r#"
            e0 a
            e1 b
            e2 c
            e3 d
            e4 e
            e5 1
            e6 1
            e7 0
            e8 1
            s0 b;
            s1 { b; }
            s2 while (a) { b; }
            s3 d;
            s4 ;
            s5 if (e) ;
            s6 if (c) d; else if (e) ;
            s7 int g = 1;
            s8 return 0;
            s9 l: case 1: return 0;
            s10 ;
            s11 do ; while (1);
            s12 { while (a) { b; } if (c) d; else if (e) ; int g = 1; l: case 1: return 0; do ; while (1); }
        "#]],
    );
}

#[test]
fn offsets_count_from_the_start_of_the_text() {
    let mut interner = base::Interner::default();
    let (ast, _) = syntax::parse("int x = 1;", 100, &mut interner);
    let declared = ast.declarators.as_slice()[0];
    assert_eq!((declared.name_span.start, declared.name_span.end), (104, 105));
    assert_eq!((ast[ast.items[0]].span.start, ast[ast.items[0]].span.end), (100, 110));
}

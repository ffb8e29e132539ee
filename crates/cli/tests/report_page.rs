//! The report in a real browser: steps, search, zoom, both colour schemes, large programs. Skipped, with a message, where
//! there is no chromium.

mod command;

use command::{argonaut, file};
use std::path::Path;
use std::process::Command;

fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    if found.is_none() {
        println!("skipped: no chromium (apt install chromium)");
    }
    found
}

/// The page of a program, with a script behind it that leaves what it found in the body's `data-found`.
fn try_page(program: &str, name: &str, script: &str, options: &[&str]) -> Option<String> {
    let browser = browser()?;
    let page = file(name, "");
    let run = argonaut(&["verify", "--quiet", "--time-limit", "60s", "--report", &page, program]);
    assert!(run.code <= 3, "{}", run.err);
    let text = std::fs::read_to_string(&page).expect("a page");
    let script =
        format!("<script>try {{ {script} }} catch (error) {{ document.body.dataset.found = error.stack; }}</script>");
    let text = text.replace("</body>", &format!("{script}</body>"));
    std::fs::write(&page, text).expect("a writable folder");
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profile-{name}"));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,850", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(options)
        .args(["--dump-dom", &format!("file://{page}")])
        .output()
        .expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = dom.split("data-found=\"").nth(1).and_then(|rest| rest.split('"').next());
    Some(found.unwrap_or_else(|| panic!("no result: {dom:.2000}")).to_owned())
}

fn check(program: &str, name: &str, script: &str, options: &[&str], expected: &str) {
    if let Some(found) = try_page(program, name, script, options) {
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn the_player_walks_the_path() {
    let script = "show('source');
        const at = () => $('text').querySelector('.now').dataset.line + ':' + $('values').innerText.replace(/\\s+/g, ' ').trim();
        const seen = [at()]; for (let i = 0; i < 2; i++) { $('next').click(); seen.push(at()); }
        $('last').click(); seen.push(at(), $('text').querySelector('.error').dataset.line);
        document.body.dataset.found = seen.join(' / ');";
    let program = file(
        "player.c",
        "extern void reach_error(void);\nint main(void) {\n  int a = 1;\n  int b = a + 1;\n  if (b == 2)\n    reach_error();\n}\n",
    );
    check(
        &program,
        "player.html",
        script,
        &[],
        "3:main: a 1 / 4:main: b 2 main: a 1 / 5:main: b 2 main: a 1 / 6:main: b 2 main: a 1 / 6",
    );
}

#[test]
fn the_automaton_is_searched_zoomed_and_collapsed() {
    let script = "show('graph'); const few = graph.nodes.length; $('collapse').click(); const all = graph.nodes.length;
        $('search').value = 'average'; $('search').oninput(); const before = graph.scale; $('in').click();
        document.body.dataset.found = [few < all, graph.hits.size > 0, graph.scale > before].join();";
    check("examples/first-bug.c", "graph.html", script, &[], "true,true,true");
}

#[test]
fn both_colour_schemes() {
    let script = "document.body.dataset.found = getComputedStyle(document.body).backgroundColor;";
    check("examples/first-proof.c", "light.html", script, &[], "rgb(255, 255, 255)");
    let dark = ["--blink-settings=preferredColorScheme=0"];
    check("examples/first-proof.c", "dark.html", script, &dark, "rgb(22, 24, 28)");
}

#[test]
fn text_of_the_program_cannot_leave_the_data() {
    let program = file(
        "escape.c",
        "// </script><script>document.body.dataset.found = 'broken'</script> <b>\nint main(void) { return 0; }\n",
    );
    let script = "show('source'); document.body.dataset.found = document.querySelectorAll('b:not(.row b)').length;";
    check(&program, "escape.html", script, &[], "0");
}

#[test]
fn ten_thousand_nodes_stay_usable() {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = 0;\n");
    for number in 0..5000 {
        text += &format!("  if (__VERIFIER_nondet_int() == {number}) x += {number};\n");
    }
    text += "  return x;\n}\n";
    let program = file("large.c", text);
    let script = "show('graph'); const start = performance.now(); $('collapse').click(); graph.search('x + 4999');
        for (let i = 0; i < 10; i++) graph.zoom(0.8);
        show('source'); source.go(0, 4000);
        const quick = performance.now() - start < 3000;
        document.body.dataset.found = [graph.nodes.length > 10000, graph.hits.size, quick].join();";
    check(&program, "large.html", script, &[], "true,1,true");
}

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

/// The page of a program, followed by a script that leaves what it found in the body's `data-found`.
fn try_page(program: &str, name: &str, verify: &[&str], script: &str, options: &[&str]) -> Option<String> {
    let browser = browser()?;
    let page = file(name, "");
    let mut command = vec!["verify", "--quiet", "--time-limit", "60s", "--report", &page, program];
    command.extend(verify);
    let run = argonaut(&command);
    assert!(matches!(run.code, 0 | 1 | 3), "{}", run.err);
    let text = std::fs::read_to_string(&page).expect("a page");
    let script =
        format!("<script>try {{ {script} }} catch (error) {{ document.body.dataset.found = error.stack; }}</script>");
    // The page's policy allows its own script only; that it runs under it is a test of its own.
    let (before, policy) = text.split_once("<meta http-equiv").expect("a page has a policy");
    let (_, after) = policy.split_once('>').expect("the policy ends");
    let text = format!("{before}{after}").replace("</body>", &format!("{script}</body>"));
    std::fs::write(&page, text).expect("a writable folder");
    let dom = shown(browser, name, &page, options, "data-found=");
    let found = dom.split("data-found=\"").nth(1).and_then(|rest| rest.split('"').next());
    Some(found.unwrap_or_else(|| panic!("no result: {dom:.2000}")).to_owned())
}

/// What the browser makes of a page, with `sign` in it where that can be had.
fn shown(browser: &str, name: &str, page: &str, options: &[&str], sign: &str) -> String {
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profile-{name}"));
    // On a busy machine the browser may print its first, empty page.
    let open = || {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,850"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(options)
            .args(["--dump-dom", &format!("file://{page}")])
            .output()
            .expect("the browser starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    (0..5).map(|_| open()).find(|dom| dom.contains(sign)).unwrap_or_else(open)
}

#[test]
fn the_page_works_under_its_policy() {
    let Some(browser) = browser() else { return };
    let page = file("policy.html", "");
    argonaut(&["verify", "--quiet", "--report", &page, "examples/first-bug.c"]);
    // The page's script says when it is done.
    let sign = "data-ready=\"yes\"";
    let dom = shown(browser, "policy", &page, &[], sign);
    assert!(dom.contains(sign), "{dom:.2000}");
}

fn check(program: &str, name: &str, script: &str, options: &[&str], expected: &str) {
    check_with(program, name, &[], script, options, expected);
}

fn check_with(program: &str, name: &str, verify: &[&str], script: &str, options: &[&str], expected: &str) {
    if let Some(found) = try_page(program, name, verify, script, options) {
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
    let script = "show('graph'); const start = Date.now(); $('collapse').click(); graph.search('x + 4999');
        for (let i = 0; i < 10; i++) graph.zoom(0.8);
        $('fit').click(); show('source'); source.go(0, 4000);
        const quick = Date.now() - start < 3000;
        document.body.dataset.found = [graph.nodes.length > 10000, graph.hits.size, quick].join();";
    check(&program, "large.html", script, &[], "true,1,true");
}

#[test]
fn abstract_states_are_searched_zoomed_and_folded() {
    let script =
        "show('arg'); const few = states.nodes.length; $('arg-collapse').click(); const all = states.nodes.length;
        $('arg-search').value = 'main::x = 3'; $('arg-search').oninput(); const found = states.hits.size > 0;
        const before = states.scale; $('arg-in').click(); const nearer = states.scale > before;
        states.fold(states.nodes[2].first); const folded = states.nodes.length; $('arg-unfold').click();
        document.body.dataset.found = [few < all, found, nearer, folded, states.nodes.length === all].join();";
    let program = file(
        "states.c",
        "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  while (x < 5) x++;\n  if (x != 5) reach_error();\n}\n",
    );
    let analysis = ["--analysis", "expl"];
    check_with(&program, "states.html", &analysis, script, &[], "true,true,true,3,true");
}

#[test]
fn precision_and_refinements_are_listed() {
    let script =
        "document.body.dataset.found = $('precision').innerText.replace(/\\s+/g, ' ').includes('Refinements (1)')
        + ' ' + /path of \\d+ steps excluded: main::x/.test($('precision').innerText.replace(/\\s+/g, ' '));";
    let program = file(
        "refined.c",
        "extern void reach_error(void);\nint main(void) {\n  int x = 1, y = 2;\n  if (x == 2) reach_error();\n  return y;\n}\n",
    );
    let script = format!("show('precision'); {script}");
    check_with(&program, "refined.html", &["--analysis", "expl-itp"], &script, &[], "true true");
}

#[test]
fn explored_lines_are_marked() {
    let script = "show('source'); source.go(0, 1);
        const marked = (name) => [...$('text').querySelectorAll('.row.' + name)].map((row) => row.dataset.line).join(' ');
        document.body.dataset.found = marked('reached') + ' / ' + marked('code');";
    let program = file(
        "explored.c",
        "extern void reach_error(void); int unused(void) {\n  reach_error(); return 1;\n}\nint main(void) {\n  int x = 1;\n  if (x == 2)\n    x = unused();\n  return x;\n}\n",
    );
    check_with(&program, "explored.html", &["--analysis", "expl"], script, &[], "5 6 8 / 2 7");
}

/// Analyses that go their own ways say what they used and where they came along.
#[test]
fn every_analysis_tells_of_its_work() {
    let prelude = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
    let arrays = "int a[1000];\nint main(void) {\n  int i;\n  for (i = 0; i < 1000; i++) a[i] = i;\n  for (i = 0; i < 1000; \
                  i++) if (a[i] != i) reach_error();\n}\n";
    let recursion = "int f(int n) {\n  if (n <= 0) return 0;\n  return f(n - 1) + 1;\n}\nint main(void) {\n  int n = \
                     __VERIFIER_nondet_int();\n  if (n < 0 || n > 1000) return 0;\n  if (f(n) != n) reach_error();\n}\n";
    let bug = "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0) return 1;\n  if (n > 5) reach_error();\n}\n";
    let programs = [("cells", arrays, "Tracked ("), ("summaries", recursion, "f ensures "), ("random", bug, "")];
    for (preset, text, tracked) in programs {
        let (program, page) = (file(&format!("own-{preset}.c"), format!("{prelude}{text}")), file("own.html", ""));
        let run = argonaut(&["verify", "--quiet", "--analysis", preset, "--report", &page, &program]);
        assert!(run.code < 2, "{preset}: {}{}", run.out, run.err);
        let page = std::fs::read_to_string(&page).expect("a page");
        assert!(page.contains("The analysis explored") && page.contains(tracked), "{preset}");
        assert!(!page.contains("explored 0 of"), "{preset}");
    }
}

#[test]
fn ten_thousand_abstract_states_stay_usable() {
    let program = file(
        "many-states.c",
        "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  while (x < 6000) x++;\n  if (x != 6000) reach_error();\n}\n",
    );
    let script = "const start = Date.now(); show('arg'); $('arg-collapse').click(); states.search('main::x = 3000');
        for (let i = 0; i < 10; i++) states.zoom(0.8);
        const quick = Date.now() - start < 3000;
        document.body.dataset.found = [states.nodes.length, states.hits.size > 0, quick].join();";
    check_with(&program, "many-states.html", &["--analysis", "expl"], script, &[], "10000,true,true");
}

/// From the start of the navigation to the source with its path.
#[test]
fn a_page_of_a_large_driver_opens_at_once() {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    for number in 0..4000 {
        text += &format!(
            "static int device_{number}(int request, int *state) {{\n  /* a driver answers requests with what it holds */\n  \
             if (request == {number}) {{\n    *state = request + {number};\n    return 1;\n  }}\n  while (request > 0) \
             {{\n    request--;\n  }}\n  return request + *state;\n}}\n"
        );
    }
    text += "int main(void) {\n  int state = 0;\n  int request = __VERIFIER_nondet_int();\n";
    for number in (0..4000).step_by(400) {
        text += &format!("  device_{number}(request, &state);\n");
    }
    text += "  if (state == 800) reach_error();\n}\n";
    assert!(text.len() > 900_000, "{}", text.len());
    let program = file("driver.c", text);
    let script = "show('source'); const opened = performance.now();
        document.body.dataset.found = [opened < 3000 || opened, data.functions.length, data.files[0].text.length > 900000].join();";
    check_with(&program, "driver.html", &["--analysis", "bmc"], script, &[], "true,4001,true");
}

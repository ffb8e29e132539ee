//! `argonaut bench` on tiny lists: results, tables, pages, and going on after an interruption.

mod command;

use command::{Run, argonaut, file, root};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A folder that does not exist yet.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn bench(out: &Path, presets: &str, list: &str) -> Run {
    let out = out.to_str().expect("a plain path");
    argonaut(&["bench", "--presets", presets, "--time-limit", "20s", "--jobs", "2", "--out", out, list])
}

/// A list of the examples, one with an answer that is not the right one.
fn examples(name: &str) -> String {
    let at = root().join("examples").canonicalize().expect("the examples");
    let rows = [("proof", "first-proof.c", "true"), ("bug", "first-bug.c", "false"), ("odd", "first-bug.c", "true")];
    let rows = rows.map(|(task, input, expected)| format!("Small,{task}.yml,{}/{input},64,{expected}\n", at.display()));
    file(name, format!("category,task,input,bits,expected\n{}", rows.concat()))
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn tables_and_pages_of_presets() {
    let (out, list) = (folder("bench-all"), examples("bench-all.csv"));
    let run = bench(&out, "k-induction,random", &list);
    assert_eq!(run.code, 0, "{}", run.err);
    let line = |start: &str| run.out.lines().find(|line| line.starts_with(start)).unwrap_or("").to_owned();
    let words = |line: String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // A proof, a bug, and a bug where the list says that there is none.
    assert_eq!(words(line("k-induction"))[..9], ["k-induction", "Small", "3", "2", "1", "1", "1", "-13", "5"]);
    assert!(run.out.contains("WRONG: k-induction says false of odd.yml"), "{}", run.out);
    assert_eq!(read(&out, "results.csv").lines().count(), 7);
    assert!(read(&out, "table.md").contains("| k-induction | Small | 3 | 2 |"));
    assert!(read(&out, "table.csv").contains("k-induction,Small,3,2,1,1,1,-13,5,"));
    let page = read(&out, "index.html");
    assert!(page.contains("<polyline") && page.contains("prefers-color-scheme: dark"), "{page}");
    assert!(!page.contains("://") && !page.contains("<script"), "self-contained");
}

#[test]
fn what_is_done_is_not_done_again() {
    let (out, list) = (folder("bench-again"), examples("bench-again.csv"));
    assert_eq!(bench(&out, "random", &list).code, 0);
    // As if the last run had been interrupted in the middle of its line.
    let whole = read(&out, "results.csv");
    let lines: Vec<&str> = whole.lines().collect();
    let marked = lines[1].replace("Small", "Mine");
    std::fs::write(out.join("results.csv"), format!("{}\n{marked}\n{}\n{}", lines[0], lines[2], &lines[3][..9]))
        .expect("writable");
    let again = bench(&out, "random", &list);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(again.err.contains("2 of 3 runs are done already"), "{}", again.err);
    let results = read(&out, "results.csv");
    assert_eq!(results.lines().count(), 4, "{results}");
    assert!(results.contains(&marked), "{results}");
    let other =
        argonaut(&["bench", "--presets", "random", "--time-limit", "7s", "--out", out.to_str().expect("plain"), &list]);
    assert_eq!(other.code, 2);
    assert!(other.err.contains("results with other limits, expected the same or an empty folder"), "{}", other.err);
}

#[test]
fn task_definitions_and_sets() {
    let out = folder("bench-sets");
    let set = file("examples.set", format!("# all\n{}\n", root().join("examples/first-*.yml").display()));
    let run = bench(&out, "k-induction", &set);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("examples"), "{}", run.out);
}

/// Commands that stand in for Slurm's: they run elements one after the other, and lose one the first time.
const SBATCH: &str = r#"#!/bin/sh
here=$(dirname "$0")
for word in "$@"; do
    case $word in
    --job-name=*) name=${word#*=} ;;
    --array=0-*) last=${word#*=0-} ;;
    esac
done
cat >"$here/$name.sh"
echo "$*" >>"$here/orders"
seq 0 "$last" | sed 's/$/ RUNNING/' >"$here/$name.states"
(
    for index in $(seq 0 "$last"); do
        if [ "$index" = 1 ] && [ ! -e "$here/lost" ]; then
            : >"$here/lost"
            echo "$index NODE_FAIL" >>"$here/$name.states"
        else
            SLURM_ARRAY_TASK_ID=$index sh "$here/$name.sh"
            echo "$index COMPLETED" >>"$here/$name.states"
        fi
    done
) </dev/null >/dev/null 2>&1 &
"#;
const SQUEUE: &str = r#"#!/bin/sh
for word in "$@"; do
    case $word in
    --name=*) cat "$(dirname "$0")/${word#*=}.states" ;;
    esac
done
"#;

#[test]
fn a_cluster_gives_the_same_results() {
    use std::os::unix::fs::PermissionsExt;
    let commands = folder("bench-slurm-commands");
    std::fs::create_dir(&commands).expect("a new folder");
    for (name, text) in [("sbatch", SBATCH), ("squeue", SQUEUE), ("scontrol", "#!/bin/sh\nexit 1\n")] {
        let path = commands.join(name);
        std::fs::write(&path, text).expect("writable");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
    }
    let (here, there, list) = (folder("bench-here"), folder("bench-there"), examples("bench-slurm.csv"));
    let bench = |out: &Path, more: &[&str]| {
        let path = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap_or_default());
        let out = out.to_str().expect("a plain path");
        let words = ["bench", "--presets", "k-induction,random", "--time-limit", "20s", "--out", out, list.as_str()];
        command::finish(command::command(&[&words[..], more].concat()).env("PATH", path).output().expect("it starts"))
    };
    let run = bench(&there, &["--on", "slurm"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--on slurm wants --memory-limit"), "{}", run.err);
    let limit = ["--memory-limit", "1GiB"];
    assert_eq!(bench(&here, &limit).code, 0);
    let run = bench(&there, &[&limit[..], &["--on", "slurm"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("k-induction  bug.yml  is tried again: NODE_FAIL"), "{}", run.err);
    let orders = read(&commands, "orders");
    let orders: Vec<&str> = orders.lines().collect();
    assert_eq!(orders.len(), 2, "{orders:?}");
    assert!(orders[0].contains("--array=0-5 --time=3 --mem=1310720K --cpus-per-task=1"), "{}", orders[0]);
    assert!(orders[1].contains("--array=0-0 "), "{}", orders[1]);
    let rows = |folder: &Path| {
        let text = read(folder, "results.csv");
        // Without times.
        let row = |line: &str| {
            [line.split(',').take(5).collect::<Vec<_>>(), line.split(',').skip(7).collect()].concat().join(",")
        };
        let mut rows: Vec<String> = text.lines().map(row).collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(&there), rows(&here));
    assert!(!there.join("slurm").exists(), "nothing is left");
}

#[test]
fn two_at_a_time_do_not_write_to_one_folder() {
    let (out, list) = (folder("bench-twice"), examples("bench-twice.csv"));
    std::fs::create_dir(&out).expect("a new folder");
    let lock = std::fs::File::create(out.join(".lock")).expect("writable");
    lock.lock().expect("a file system with locks");
    let run = bench(&out, "random", &list);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("another benchmark is at work there"), "{}", run.err);
}

#[test]
fn mistakes_are_named() {
    let out = folder("bench-bad");
    for (presets, list, expected) in [
        ("magic", "examples/first-bug.yml".to_owned(), "no preset is called `magic`"),
        ("bmc", "examples/first-bug.c".to_owned(), "expected a list of tasks (.csv, .set) or a task (.yml)"),
        ("bmc", "nowhere.csv".to_owned(), "nowhere.csv: no such file, expected a list of tasks"),
        ("bmc", file("columns.csv", "a,b\n1,2\n"), "no `category`"),
        ("bmc", file("short.csv", "category,task,input,bits,expected\nx\n"), ":2: expected 5 columns"),
        ("bmc", file("none.set", "none/*.yml\n"), ":1: no file is called `none/*.yml`"),
    ] {
        let run = bench(&out, presets, &list);
        assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 1), "{}", run.err);
        assert!(run.err.contains(expected), "{}", run.err);
    }
}

/// An experiment on the examples, as a file.
const EXPERIMENT: &str = r#"
title = "Two analyses of the examples"
paper = "BDW18"
time-limit = "60s"
counters = ["k", "solver queries"]
[[configuration]]
name = "induction"
run = "k-induction k-max=3"
[[configuration]]
name = "runs"
run = "random runs=50"
[[group]]
name = "bugs"
tasks = ["b*.yml"]
[[group]]
name = "proofs"
tasks = ["p*.yml"]
of-each = 1
[[group]]
name = "all of them"
[[table]]
title = "Solved"
rows = "groups"
measures = ["solved", "mean k"]
paper-tasks = ["7", "8", "15"]
paper = [["5 / 1.5", "7"], ["6", ""], ["11", "7"]]
[[table]]
title = "By configuration"
rows = "configurations"
measures = ["score"]
virtual-best = true
[[plot]]
title = "Figure 1"
[[winners]]
title = "Winners"
"#;

#[test]
fn experiments_make_parts_of_pages() {
    let (out, list) = (folder("bench-experiment"), examples("bench-experiment.csv"));
    let (path, experiment) = (out.to_str().expect("plain"), file("two.toml", EXPERIMENT));
    let run = argonaut(&["bench", "--experiment", &experiment, "--out", path, &list]);
    assert_eq!(run.code, 0, "{}", run.err);
    // The third example belongs to no group.
    let results = read(&out, "results.csv");
    assert!(results.lines().next().is_some_and(|line| line.ends_with(",reason,k,solver queries")), "{results}");
    assert_eq!(results.lines().count(), 5, "{results}");
    assert!(results.contains("k-induction k-max=3,Small,bug.yml,false,false,"), "{results}");
    let page = read(&out, "two.md");
    for part in [
        "2 tasks, 60 s for each run",
        "<th colspan=\"2\">induction</th>",
        "<tr><th>bugs</th><td class=\"theirs\">7</td><td>1</td><td class=\"theirs\">5 / 1.5</td><td>1 / ",
        "<tr><th>all of them</th><td class=\"theirs\">15</td><td>2</td><td class=\"theirs\">11</td>",
        "<td class=\"theirs\">\u{2013}</td>",
        // A table without figures of the paper.
        "<tr><th></th><th>bugs</th><th>proofs</th><th>all of them</th></tr>",
        "<tr><th>best of each task</th><td>1</td><td>1</td><td>2</td></tr>",
        "<figure class=\"quantiles\">\n<svg",
        "<tr><th>induction (2)</th><td>proof.yml (true, ",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    // Without a list the page is made from the results, and nothing runs.
    std::fs::remove_file(out.join("two.md")).expect("written before");
    let again = argonaut(&["bench", "--experiment", &experiment, "--out", path]);
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (0, "", ""));
    assert_eq!(read(&out, "two.md"), page);
    let other = argonaut(&["bench", "--experiment", &experiment, "--cpu-limit", "9s", "--out", path]);
    assert!(other.code == 2 && other.err.contains("results with other limits"), "{}", other.err);
    // A task that one configuration has not run yet does not count.
    let cut = |count: usize| {
        let lines: Vec<&str> = results.lines().take(count).collect();
        std::fs::write(out.join("results.csv"), lines.join("\n")).expect("writable");
        argonaut(&["bench", "--experiment", &experiment, "--out", path])
    };
    let less = cut(4);
    assert_eq!((less.code, less.out.as_str()), (0, ""), "{}", less.err);
    assert_eq!(less.err, "1 runs on tasks that not all configurations have are left out\n");
    assert!(read(&out, "two.md").contains("1 tasks, 60 s for each run"));
    let missing = cut(3);
    assert_eq!(missing.code, 2);
    assert!(
        missing.err.contains("has no complete results of this experiment; name a list of tasks"),
        "{}",
        missing.err
    );
}

#[test]
fn mistakes_in_experiments_have_a_line() {
    let out = folder("bench-bad-experiment");
    let check = |experiment: &str, expected: &str| {
        let run = argonaut(&["bench", "--experiment", experiment, "--out", out.to_str().expect("plain"), "x.csv"]);
        assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 1), "{}", run.err);
        assert!(run.err.contains(expected), "{}", run.err);
    };
    check("magic", "no experiment is called `magic`; expected a file NAME.toml or one of bdw18-k-induction, ");
    check("nowhere.toml", "nowhere.toml: no such file, expected an experiment");
    check(&file("key.toml", EXPERIMENT.replace("paper-tasks", "papers")), "key.toml:25: unknown field `papers`");
    check(&file("preset.toml", EXPERIMENT.replace("random", "magic")), "preset.toml:11: no preset is called `magic`");
    check(&file("set.toml", EXPERIMENT.replace("runs=50", "luck=1")), "set.toml:11: `random` has no option `luck`");
    check(
        &file("measure.toml", EXPERIMENT.replace("mean k", "mean joy")),
        "measure.toml:24: no measure is called `mean joy`",
    );
}

#[test]
fn counters_and_a_limit_on_processor_time() {
    let endless = "extern void reach_error(void); int main(void) { unsigned x = 0; while (1) { x++; if (x == 4000000007u) \
                   reach_error(); } return 0; }";
    let endless = file("bench-cpu.c", endless);
    let list = file("bench-cpu.csv", format!("category,task,input,bits,expected\nA,a.yml,{endless},32,false\n"));
    let out = folder("bench-cpu");
    let path = out.to_str().expect("plain");
    let limits = ["--time-limit", "600s", "--cpu-limit", "200ms", "--counter", "refinements"];
    let run = argonaut(&[&["bench", "--presets", "expl", "--out", path, &list][..], &limits[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let results = read(&out, "results.csv");
    let row = results.lines().nth(1).expect("a run");
    assert!(row.ends_with(",600s,0.2s,,processor time limit reached,"), "{row}");
    assert!(row.split(',').nth(5).is_some_and(|cpu| cpu.parse::<f64>().is_ok_and(|cpu| cpu >= 0.2)), "{row}");
    // Counters of an answer.
    let out = folder("bench-counters");
    let path = out.to_str().expect("plain");
    let list = examples("bench-counters.csv");
    let run = argonaut(&["bench", "--presets", "k-induction k-max=2", "--counter", "k", "--out", path, &list]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        read(&out, "results.csv").lines().nth(1).is_some_and(|row| row.ends_with(",,1")),
        "{}",
        read(&out, "results.csv")
    );
}

#[test]
fn an_interrupt_keeps_what_is_done() {
    let out = folder("bench-interrupt");
    let endless = "extern void reach_error(void); int main(void) { unsigned x = 0; while (1) { x++; if (x == 4000000007u) \
                   reach_error(); } return 0; }";
    let endless = file("bench-endless.c", endless);
    let list = file("bench-endless.csv", format!("category,task,input,bits,expected\nA,a.yml,{endless},32,false\n"));
    let path = out.to_str().expect("a plain path");
    let mut command = command::command(&["bench", "--presets", "expl", "--time-limit", "60s", "--out", path, &list]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    command::await_worker(child.id());
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let run = command::finish(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("0 of 1 runs are done; the same command continues from here"), "{}", run.err);
    assert_eq!(read(&out, "results.csv").lines().count(), 1);
}

#!/usr/bin/env python3
"""Measure how much faster `argonaut verify --store` answers the second time.

    contrib/reverify.py [--time 60] [--argonaut PATH] [--analysis PRESET] TASKS.csv [TASK...]

TASKS.csv has the columns category,task,input,bits,expected (paths relative to its own folder); TASK limits it to some.
Every program is verified once with an empty store, and then again: unchanged, with a changed comment, with a changed
function that is never called, and with a changed function that is called but does not matter. Printed are times in
seconds and how many times faster the second run was.
"""
import argparse, csv, os, re, statistics, subprocess, sys, tempfile, time

UNCALLED = "\nint reverify_uncalled(int x) { return x * %d; }\n"
CALLED = """
int reverify_called(int x) { int y = x * 3 + %d; if (y > 10) y = y - 10; return y; }
%s
int reverify_main(void) { reverify_called(1); return main(%s); }
"""
KINDS = ["unchanged", "comment", "uncalled", "called"]


def verify(args, path, bits, store, entry):
    command = [args.argonaut, "verify", "--quiet", "--time-limit", f"{args.time:g}s", "--extern=pure", "--analysis",
               args.analysis, f"--store={store}", "--data-model", "LP64" if bits == "64" else "ILP32", "--property",
               entry[1], "--entry", entry[0], path]
    start = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.time() - start
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "?"
    return seconds, last


def measure(args, root, task):
    text = open(os.path.join(root, task["input"]), encoding="latin-1").read()
    arguments = "0, 0" if re.search(r"\bmain\s*\([^)]*,", text) else ""
    property_file = os.path.join(root, "properties", "unreach-call.prp")
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(task["input"]))

        def run(content, store, entry):
            with open(path, "w", encoding="latin-1") as file:
                file.write(content)
            return verify(args, path, task["bits"], os.path.join(folder, store), (entry, property_file))

        plain = "/* first */\n" + text + UNCALLED % 3
        first, answer = run(plain, "a", "main")
        if "TRUE" not in answer and "FALSE" not in answer:
            print(f"{task['task']}: {answer}, left out")
            return None
        changes = {"unchanged": plain, "comment": "/* second,\n one line more */\n" + plain,
                   "uncalled": "/* first */\n" + text + UNCALLED % 4}
        print(f"{task['task']}: {answer} {first:.2f} s", end="", flush=True)
        for kind, content in changes.items():
            seconds, again = run(content, "a", "main")
            ratios[kind] = (first / seconds, again == answer)
            print(f"; {kind} {seconds:.2f}", end="" if again == answer else f" {again}!", flush=True)
        # A wrapper calls the function that does not matter, and then the program.
        wrapped = lambda number: text + CALLED % (number, "", arguments)
        first, answer = run(wrapped(1), "b", "reverify_main")
        seconds, again = run(wrapped(2), "b", "reverify_main")
        ratios["called"] = (first / seconds, again == answer)
        print(f"; wrapped {first:.2f} {answer}, called {seconds:.2f}{'' if again == answer else ' ' + again + '!'}", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks")
    parser.add_argument("only", nargs="*")
    parser.add_argument("--time", type=float, default=60)
    parser.add_argument("--argonaut", default="target/release/argonaut")
    parser.add_argument("--analysis", default="auto")
    args = parser.parse_args()
    root = os.path.dirname(os.path.abspath(args.tasks))
    tasks = [task for task in csv.DictReader(open(args.tasks)) if not args.only or task["task"] in args.only]
    found = [ratios for task in tasks if (ratios := measure(args, root, task))]
    for kind in KINDS:
        speedups = sorted(ratios[kind][0] for ratios in found if ratios[kind][1])
        if speedups:
            print(f"{kind}: {len(speedups)} of {len(found)} answered again, times faster: "
                  f"median {statistics.median(speedups):.1f}, least {speedups[0]:.1f}, most {speedups[-1]:.1f}")
    sys.exit(0 if found else 1)


if __name__ == "__main__":
    main()

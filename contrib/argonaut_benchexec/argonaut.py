# Argonaut's tool-info module for BenchExec: put the folder `contrib` on the Python path and name the tool
# `argonaut_benchexec.argonaut`, or copy this file to benchexec/tools/.
#
# SPDX-License-Identifier: Apache-2.0

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for Argonaut, an automatic verifier for C."""

    REQUIRED_PATHS = ["argonaut"]

    def executable(self, tool_locator):
        # An installed command, or the place where cargo builds it.
        try:
            return tool_locator.find_executable("argonaut")
        except benchexec.tools.template.ToolNotFoundException:
            return tool_locator.find_executable("argonaut", subdir="target/release")

    def name(self):
        return "Argonaut"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="argonaut ")

    def cmdline(self, executable, options, task, rlimits):
        # Options of a benchmark definition may name another subcommand: `validate`.
        if not options or options[0].startswith("-"):
            options = ["verify"] + options
        command = [executable] + options
        if task.property_file:
            command += ["--property", task.property_file]
        if rlimits.cputime:
            command += ["--time-limit", f"{rlimits.cputime}s"]
        if rlimits.memory:
            # The rest is for the supervisor and the system.
            command += ["--memory-limit", f"{int(rlimits.memory * 0.9)}B"]
        if isinstance(task.options, dict):
            if task.options.get("language", "C") != "C":
                raise benchexec.tools.template.UnsupportedFeatureException("only C is supported")
            if "data_model" in task.options:
                command += ["--data-model", task.options["data_model"]]
            # The convention of task definitions.
            command += ["--extern", "pure"]
        return command + list(task.input_files_or_identifier)

    def determine_result(self, run):
        for line in reversed(run.output):
            if line.startswith("Verdict: TRUE") or line.startswith("Witness: CONFIRMED"):
                return result.RESULT_TRUE_PROP
            if line.startswith("Verdict: FALSE ("):
                # In parentheses is the violated property, as SV-COMP calls it.
                return result.RESULT_FALSE_PROP + line.strip()[len("Verdict: FALSE ") :]
            if line.startswith("Witness: REJECTED"):
                return result.RESULT_FALSE_PROP
            if line.startswith("Verdict: UNKNOWN (time limit") or line.startswith("Witness: UNKNOWN (time limit"):
                return "TIMEOUT"
            if line.startswith("Verdict: UNKNOWN (memory limit"):
                return "OUT OF MEMORY"
            if line.startswith("Verdict: UNKNOWN") or line.startswith("Witness: UNKNOWN"):
                return result.RESULT_UNKNOWN
        return result.RESULT_ERROR

"""The verbs of the command line. To add one: write its file, and one line in COMMANDS.

A verb's file has HELP, what it does in a few words; arguments(command), which fills its parser; run(options), which
does it and returns DONE or NOT_MET. Bad input is raised as one of REFUSALS. Heavy modules are imported inside `run`.
"""

COMMANDS = (
    "demo",
    "scenes",
    "simulate",
    "extract",
    "bake",
    "solve",
    "compare",
    "dump",
    "study",
    "verify",
    "compile",
)

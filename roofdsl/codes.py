"""Every message has a code; `roofdsl explain CODE` shows its page in docs/messages."""

from __future__ import annotations

CODES: dict[str, str] = {
    # R00, files
    "R0001": "a file that does not exist",
    "R0002": "a file that cannot be read",
    "R0003": "a file without a declaration",
    "R0004": "what is not a .roof file where one is meant",
    "R0005": "a `use` of a file with errors",
    "R0006": "a file with very many problems",
    "R0007": "a folder without `.roof` files",
    # R01, syntax
    "R0101": "something in the wrong place",
    "R0102": "brackets that do not match",
    "R0103": "two values side by side",
    "R0104": "a character that means nothing",
    "R0105": "a number in another notation",
    "R0106": "an expression nested too deep",
    "R0107": "a text that is not closed",
    "R0108": "a word of the language as a name",
    "R0109": "a number too long or too large",
    "R0110": "something is missing",
    "R0111": "an expression from Python that is more than one",
    # R02, names
    "R0201": "an unknown name",
    "R0202": "a name defined twice",
    "R0203": "a definition in a circle",
    "R0204": "an unknown function",
    "R0205": "a call with the wrong arguments",
    "R0206": "an unknown kind of parameter",
    "R0207": "an unknown model or machine",
    "R0208": "a file with several models or machines",
    "R0209": "files that use each other in a circle",
    "R0210": "something that has no place in a formula",
    "R0211": "an uncertainty inside a formula",
    "R0212": "an unknown test with `is`",
    "R0213": "a formula that is too large",
    "R0214": "an unknown resource",
    "R0215": "a default from the machine without a kind",
    "R0216": "an unknown or second default level",
    "R0217": "a kind chosen by a machine",
    "R0218": "a name the language has already",
    "R0219": "a definition that is not what is needed here",
    "R0220": "a model with both work and steps",
    "R0221": "a device that has devices",
    "R0222": "a step that is not a call of a model",
    "R0223": "bounds with nothing between them",
    "R0224": "work that depends on a metric",
    "R0225": "a job that is none, or a mix that is a step",
    "R0226": "a rate or a start-up that has no place",
    "R0227": "a total that cannot be stated",
    "R0228": "a name that is a result's too (warning)",
    "R0229": "what cannot add up, or run at once",
    "R0230": "a tensor that cannot be kept, held or read",
    "R0231": "what a model made from another cannot state",
    # R03, units
    "R0301": "different units put together",
    "R0302": "a value in the wrong unit",
    "R0303": "an unknown unit",
    "R0304": "a unit where a plain number is needed",
    "R0305": "an exponent that cannot be",
    "R0306": "true or false where a number is needed",
    "R0307": "a number where true or false is needed",
    "R0308": "something else where a precision is needed",
    "R0310": "a plain number taken as bytes (warning)",
    "R0311": "a name in a unit (warning)",
    "R0312": "a unit that only the machine knows",
    "R0313": "a metric in another unit on a machine",
    "R0314": "a unit that is no amount of another",
    "R0315": "more work in less time (warning)",
    # R04, values
    "R0401": "an unknown parameter",
    "R0402": "a value out of bounds",
    "R0403": "a requirement that does not hold",
    "R0404": "a value that is no number of the kind asked for",
    "R0405": "an argument in the wrong unit",
    "R0406": "a parameter without a value",
    "R0407": "a formula without a value",
    "R0408": "a rate of 0 or less",
    "R0409": "work below 0",
    "R0410": "a repeat count that cannot be",
    "R0411": "a total that the processes cannot do",
    "R0412": "more than a command may compute",
    "R0413": "an energy, a power or a price below 0",
    "R0414": "a number that may be 0 or less",
    "R0416": "several values where one is meant",
    "R0417": "rounds kept at once that cannot be so many",
    # R05, machines
    "R0501": "work without a rate",
    "R0502": "a change of what a machine does not have",
    "R0503": "a default that the machine does not have",
    "R0504": "an unknown device",
    "R0505": "work that only devices do",
    "R0506": "an operation measured by other arguments",
    "R0507": "an operation that was not measured",
    "R0508": "a plain resource of which a machine has several",
    "R0509": "a kind of flops without a default",
    "R0510": "a link under two names, side by side",
    "R0511": "a machine that stands in no text",
    # R06, tests
    "R0601": "an expectation that does not hold",
    "R0602": "an expectation that cannot be evaluated",
    "R0603": "something on a machine that is not a model",
    "R0604": "an unknown result of a prediction",
    "R0605": "how close is not said",
    "R0606": "a test that expects nothing",
    "R0607": "two tests with one title",
    "R0608": "files without a test",
    "R0609": "what is no printed number",
    "R0610": "a result that is not answered",
    # R07, questions
    "R0701": "an unknown name to solve for",
    "R0702": "a range that is empty or out of bounds",
    "R0703": "a resource that takes no time",
    "R0704": "nothing depends on the unknown",
    "R0705": "solving for what is no number",
    "R0706": "a condition that is none",
    "R0707": "a condition on what is no result, or a column of it",
    "R0708": "scaling without a time for one process",
    "R0709": "a count that needs multiply-adds",
    "R0710": "an unknown convention to count by",
    "R0711": "scaling over what does not count processes",
    "R0712": "a value for what is asked for",
    "R0713": "an unknown that is not said",
    "R0714": "no saying how far rates may be off",
    "R0715": "a machine without uncertainties",
    "R0716": "an efficiency that is none",
    "R0717": "a budget that is none",
    "R0718": "a column by which rows cannot be compared",
    "R0720": "answers to different questions",
    # R08, figures
    "R0801": "a figure in an unknown format",
    "R0802": "a file that cannot be written",
    "R0803": "a figure of work that nobody does",
    "R0804": "a figure of a rate the machine does not have",
    "R0806": "a table of measurements that does not fit",
    "R0807": "settings that do not fit the figure",
    "R0808": "a figure of processes whose work together is not known",
    "R0809": "a file that would be written over another that is used",
    # R09, tables and profiles
    "R0901": "a table without rows",
    "R0902": "a row of another length",
    "R0903": "a measurement that stands twice",
    "R0904": "a table without a column",
    "R0905": "a cell that is no number above 0",
    "R0911": "a profile without groups",
    "R0912": "a column that is missing, twice, or in no unit",
    "R0913": "a row that does not fit its table",
    "R0914": "a cell of a table that cannot be",
    "R0915": "an unknown kind of group",
    "R0916": "a profile that counts something twice",
    "R0917": "a group bound by what a machine lacks",
    # R10, reports
    "R1001": "a template that is none",
    "R1002": "a template that fails",
    "R1003": "a report in an unknown format",
    "R1004": "a date that is none",
    "R1005": "a PDF without LaTeX",
    "R1006": "a report that LaTeX cannot set",
    "R1007": "an unknown table of a paper",
    "R1008": "two files with nothing in common",
    # R11, explorers
    "R1101": "an explorer that has nowhere to start",
    "R1102": "an explorer without its plotting library",
    # R12, imported files
    "R1201": "a file in no format that is imported",
    "R1202": "a text that is not JSON",
    "R1203": "a name twice in one object of JSON",
    "R1204": "a field that is missing",
    "R1205": "a field with a value that it cannot have",
    "R1206": "a network that cannot be counted",
    "R1207": "a name that the library needs",
    "R1211": "an import without the package it needs",
    "R1212": "a file that is no network in ONNX",
    "R1213": "a module of PyTorch that cannot be traced",
    "R1214": "what is left out of an imported network",
    "R1221": "a number that no tool has measured",
    "R1222": "a file that is not as its tool writes it",
    "R1223": "what stands twice in a tool's file",
    "R1224": "a level that a file does not have",
    "R1225": "a file that tells nothing of a machine",
    "R1226": "a text that is not YAML",
    "R1231": "measurements without a column that they need",
    "R1232": "numbers that can be read in two ways",
    "R1233": "a measured number that is none",
    "R1234": "a measured number without its unit",
    "R1235": "measurements that end early",
    "R1236": "measurements that say nothing of a kernel",
    "R1237": "measurements that contradict themselves",
    # R13, certificates
    "R1301": "a file that is no certificate",
    "R1302": "a certificate that does not hold",
    "R1303": "an answer without a certificate",
    "R1304": "a certificate without the package it needs",
    "R1305": "a certificate of what has changed since",
    # R14, calls
    "R1401": "a command that is not called as it can be",
    # R15, measurements
    "R1501": "a file of runs without a run",
    "R1502": "a run that took no time",
    "R1503": "a run without a model, or a model without a run",
    "R1504": "a performance of what has no flops",
    "R1505": "a model that is further off than allowed",
    "R1511": "a fit without the package it needs",
    "R1512": "a constant that cannot be fitted, or kept",
    "R1513": "a time that is not linear in what is fitted",
    "R1514": "a fit to times that a machine has measured",
    "R1515": "a fit of nothing",
    "R1516": "a model that no run is of",
    "R1521": "a measurement without the package it needs",
    "R1522": "a machine that is busy while it is measured",
    "R1523": "two measurements at once",
    "R1531": "processes that nothing starts",
    "R1532": "processes that ended before all was measured",
    "R1533": "processes that took too long",
<<<<<<< HEAD
    "R1534": "a wrong answer of a kernel",
    "R1535": "a kernel that is not there, or is not run so",
=======
    # R154, functions that are counted
    "R1541": "an argument of a traced function that is none",
    "R1542": "a script without the function that is traced",
    "R1543": "a script that fails as it is traced",
    "R1544": "a function whose work hangs on its data",
    "R1545": "an operation that is not counted",
    "R1546": "a count without a formula",
    "R1547": "a traced function that takes too long",
    "R1548": "a trace without the package it needs",
>>>>>>> 6a72fba3 (What a function of NumPy or PyTorch does, counted at several sizes, as a model: roofdsl trace)
}

REFUSALS = frozenset(
    {
        "R0402",  # a value out of bounds
        "R0403",  # a requirement that does not hold
        "R0404",  # a value that is not a whole number
        "R0407",  # a formula without a value
        "R0408",  # a rate of 0 or less
        "R0409",  # work below 0
        "R0410",  # a repeat count that cannot be
        "R0417",  # rounds kept at once that cannot be so many
        "R0501",  # work without a rate
        "R0503",  # a default that the machine does not have
        "R0504",  # an unknown device
        "R0505",  # work that only devices do
        "R0506",  # an operation measured by other arguments
        "R0507",  # an operation that was not measured
        "R0610",  # a result that is not answered
    }
)
"""The codes with which a model or a machine refuses values: what `expect … fails` waits for.

A function refuses units that do not fit together inside it (R03…). Whatever else goes wrong (an
unknown model, machine or parameter, a missing value, another unit than a parameter has) is a
mistake in the test itself: it would fail for all values alike, and so is a failure of the test.
"""

"""`tiercel`: the only room that prints.

`main` is the entry point and stays light (worker processes import it); `application` holds the
commands, `choices` checks option values, `report_text` and `report_json` show reports, `svcomp` and
`doctor` are commands of their own. Exit status: 0 nothing found, 1 alarms, 2 bad usage or input,
3 something unknown and nothing found. Tests: tests/engine/cli.
"""

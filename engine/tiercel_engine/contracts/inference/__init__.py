"""SPECTACKLE: likely preconditions and certain postconditions of functions (002, section IV).

    infer.py    the entry point: one unit's functions, callees first

Preconditions are guesses: they over- or under-approximate what the function needs, and whoever assumes
one says so. Postconditions are facts: they hold whenever the function returns, whatever it was called with,
as far as it kept from failing; what is not certain is left out.
"""

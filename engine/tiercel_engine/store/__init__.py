"""What is known about each function, keyed by content.

Empty so far: here will live the SQLite store of verdicts. The only room that will know SQL.
"""

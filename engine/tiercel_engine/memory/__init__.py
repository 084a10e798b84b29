"""How memory is partitioned, read and written.

A pointer is (object, offset). An object's bytes are split into *slots* (layout.py): arrays of records
whose fields are scalar cells; a slot of one record is plain scalars, a longer one is an SMT array per
field. Layouts are seeded from types and refined when an access disagrees with them (the encoding is
then repeated with the coarser layout), so byte-level costs are paid only where C code needs them.
`objects.py` is the model: immutable states with `load`, `store`, `merge` and `havoc`.
"""

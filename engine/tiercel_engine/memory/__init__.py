"""How memory is partitioned, read and written.

A pointer is (object, offset). What a load finds and a store changes is a model's business: `table.py` is
the interface, `models.py` selects. `objects.py` splits each object's bytes into *slots* (layout.py), arrays
of records whose fields are scalar cells; `regions.py` keeps maps that objects share, as `partition.py` says
(flat, split, refined). What accesses show about memory is learned, and the encoding repeated where it did
not fit, so byte-level costs are paid only where C code needs them. States are immutable (state.py).
"""

"""The faithful execution of a counterexample: a second opinion on the engine's semantics.

In: a parsed module (as the compiler printed it, nothing promoted), a counterexample and limits. Out: a
`FaithfulRun`: whether the program fails as predicted, and else where it left the predicted path. Blocks
have identities, addresses have provenance, bits know whether anybody wrote them; no native code runs.

`decode` turns functions into operations on registers (one module for each family of instructions),
`machine` runs them, `memory` says what an access may do, `calls` who does a call. It must not know
`encode`, `memory` (the engine's), `smt` or `verify`: what they got wrong must show here. Tests:
tests/engine/harness/interpreter.
"""

from tiercel_engine.harness.interpreter.outcome import Departure, FaithfulRun, Limits
from tiercel_engine.harness.interpreter.run import run_faithful

__all__ = ["Departure", "FaithfulRun", "Limits", "run_faithful"]

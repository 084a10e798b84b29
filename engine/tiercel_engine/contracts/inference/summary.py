"""What callers are told of a function."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tiercel_engine.contracts.inference.claims import Claim
from tiercel_engine.contracts.inference.writes import Write
from tiercel_engine.contracts.predicates import Inferred, Value
from tiercel_engine.ir.types import Type
from tiercel_engine.support.hashing import stable_hash


@dataclass(frozen=True, slots=True)
class Relation:
    """In structs of one name: the pointer at offset `buffer` points to as many elements of `size` bytes as
    the integer at offset `length` says."""

    struct: str
    buffer: int
    length: int
    size: int
    type: Type
    signed: bool


@dataclass(frozen=True, slots=True)
class Indexed:
    """A buffer in the field at offset `buffer` of the struct behind `pointer` is indexed by what is not
    known; `claim` has the place and the guards."""

    struct: str
    buffer: int
    pointer: Value
    content: Value
    size: int
    writes: bool
    claim: Claim


@dataclass(frozen=True, slots=True)
class Summary:
    """`clauses` are the function's; `writes` what a call may change, said of its parameters. `relations`
    are those that the body speaks for,
    `indexed` the places that others may say something about; `defined` and `spoils` as in `Outcome`."""

    clauses: tuple[Inferred, ...] = ()
    writes: tuple[Write, ...] = ()
    relations: tuple[Relation, ...] = ()
    indexed: tuple[Indexed, ...] = ()
    defined: bool = False
    spoils: bool = True
    digest: str = field(default="", compare=False)

    def sealed(self) -> Summary:
        """With the digest that stands for it in the keys of its callers."""
        return replace(self, digest=stable_hash(repr((self.clauses, self.writes, self.defined, self.spoils))))

    def requires(self) -> list[Inferred]:
        return [clause for clause in self.clauses if clause.kind == "requires"]

    def ensures(self) -> list[Inferred]:
        return [clause for clause in self.clauses if clause.kind == "ensures"]

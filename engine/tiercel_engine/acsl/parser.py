"""The text of a contract comment → clauses.
A clause that cannot be read is a complaint, and reading goes on after its `;`. After `behavior` nothing
more is read: the clauses that follow are conditional.
"""

from __future__ import annotations

from tiercel_engine.acsl.lexer import Token, tokens
from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Clause,
    Complaint,
    Conditional,
    Constant,
    Contract,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Old,
    Predicate,
    Range,
    Sizeof,
    Unary,
    Unbounded,
    height,
)

CLAUSES = ("requires", "ensures", "assigns")
KEYWORDS = (
    *CLAUSES, "behavior", "terminates", "decreases", "allocates", "frees", "exits", "assumes", "complete",
    "disjoint", "admit", "check",
)  # fmt: skip
"""The words that a function contract may begin with."""
LEVELS: tuple[tuple[str, ...], ...] = (
    ("<==>",), ("==>",), ("||",), ("^^",), ("&&",), ("|",), ("^",), ("&",),
    ("==", "!=", "<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
"""Binary operators from the weakest on. All are left-associative, `==>` excepted; comparisons, which all
bind alike (`0 <= i == n` is `0 <= i && i == n`), chain."""
COMPARISON, IMPLIES = 8, 1
_TYPES = (
    "void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "struct", "union",
    "enum", "const", "volatile", "_Bool", "bool",
)  # fmt: skip
_PREDICATES = ("\\valid", "\\valid_read", "\\initialized")
STRINGS = ("valid_read_string", "valid_string")
"""Predicates on strings by the names that Frama-C's library gives them."""
_CONSTANTS = ("\\true", "\\false", "\\null", "\\nothing", "\\result")
_DEEPEST = 100
_TOO_DEEP = "this expression is nested too deeply"
_LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}


class _Wrong(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.complaint = Complaint(message, at)


def parse_contract(text: str, start: int = 0, end: int | None = None) -> Contract:
    """The contract in `text[start:end]`, a comment without its marks; offsets are those of `text`."""
    found, problem = tokens(text, start, len(text) if end is None else end)
    parser = _Parser(found)
    clauses, complaints = parser.contract()
    return Contract(tuple(clauses), (*complaints, *([problem] if problem else ())))


def parse_expression(text: str) -> Expression:
    """One expression and nothing else; raises ValueError."""
    found, problem = tokens(text, 0, len(text))
    parser = _Parser(found)
    try:
        if problem is not None:
            raise _Wrong(problem.message, problem.at)
        expression = parser.expression()
        parser.expect_end()
    except _Wrong as wrong:
        raise ValueError(f"{wrong.complaint.message} (offset {wrong.complaint.at})") from None
    return expression


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._next = 0
        self._depth = 0

    # -- words

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _peek(self, distance: int = 1) -> Token:
        return self._tokens[min(self._next + distance, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._token
        if token.kind != "end":
            self._next += 1
        return token

    def _is(self, text: str) -> bool:
        return self._token.text == text and self._token.kind != "end"

    def _accept(self, text: str) -> bool:
        if self._is(text):
            self._take()
            return True
        return False

    def _expect(self, text: str) -> Token:
        if not self._is(text):
            found = f"`{self._token.text}`" if self._token.text else "the end of the comment"
            raise _Wrong(f"expected `{text}` before {found}", self._token.at)
        return self._take()

    def expect_end(self) -> None:
        if self._token.kind != "end":
            raise _Wrong(f"unexpected `{self._token.text}`", self._token.at)

    # -- clauses

    def contract(self) -> tuple[list[Clause], list[Complaint]]:
        clauses: list[Clause] = []
        complaints: list[Complaint] = []
        while self._token.kind != "end":
            start, self._depth = self._token, 0
            try:
                if start.text == "behavior":
                    raise _Wrong("behaviors are not supported yet", start.at)
                clauses.append(self._clause())
            except _Wrong as wrong:
                complaints.append(wrong.complaint)
                if start.text == "behavior":
                    break
                while self._token.kind != "end" and not self._accept(";"):
                    self._take()
        return clauses, complaints

    def _clause(self) -> Clause:
        keyword = self._take()
        if keyword.text not in CLAUSES:
            known = keyword.text in KEYWORDS
            what = "is not supported yet" if known else "is no clause of a function contract"
            raise _Wrong(f"`{keyword.text}` {what}", keyword.at)
        if self._token.kind == "name" and self._peek().text == ":":
            self._take()
            self._take()
        parts = [self.expression()]
        while keyword.text == "assigns" and self._accept(","):
            parts.append(self.expression())
        if self._is("\\from"):
            raise _Wrong("`\\from` is not supported yet", self._token.at)
        self._expect(";")
        if any(height(part) > _DEEPEST for part in parts):
            raise _Wrong(_TOO_DEEP, keyword.at)
        return Clause(keyword.text, tuple(parts), keyword.at)

    # -- expressions

    def expression(self) -> Expression:
        condition = self._binary(0)
        if self._is("?"):
            at = self._take().at
            then = self.expression()
            self._expect(":")
            condition = Conditional(condition, then, self.expression(), at)
        return condition

    def _binary(self, least: int) -> Expression:
        """Operands joined by operators that bind at least as strongly as the level `least`."""
        self._enter()
        left = self._unary()
        while True:
            level = _LEVEL.get(self._token.text, -1) if self._token.kind == "operator" else -1
            if level < least:
                break
            if level == COMPARISON:
                left = self._comparison(left)
            else:
                operator = self._take()
                right = self._binary(level if level == IMPLIES else level + 1)
                left = Binary(operator.text, left, right, operator.at)
        self._depth -= 1
        return left

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Wrong(_TOO_DEEP, self._token.at)

    def _comparison(self, first: Expression) -> Expression:
        rest: list[tuple[str, Expression]] = []
        at = self._token.at
        while self._token.kind == "operator" and self._token.text in LEVELS[COMPARISON]:
            operator = self._take()
            rest.append((operator.text, self._binary(COMPARISON + 1)))
        if not rest:
            return first
        if len(rest) == 1:
            return Binary(rest[0][0], first, rest[0][1], at)
        directions = {operator[0] for operator, _ in rest} - {"="}
        if len(directions) > 1 or "!" in directions:
            raise _Wrong("comparisons chain in one direction only", at)
        return Chain(first, tuple(rest), at)

    def _unary(self) -> Expression:
        token = self._token
        if token.kind == "operator" and token.text in "-+~!*&":
            self._take()
            self._enter()
            operand = self._unary()
            self._depth -= 1
            return Unary(token.text, operand, token.at)
        if token.text == "sizeof":
            self._take()
            self._expect("(")
            return Sizeof(self._verbatim(), token.at)
        if token.text == "(" and self._is_type():
            self._take()
            type = self._verbatim()
            return Cast(type, self._unary(), token.at)
        return self._postfix()

    def _is_type(self) -> bool:
        """Whether the parenthesis here holds a type: it begins with a word for one, or is a name with stars,
        with `_t` at its end, or in front of an operand (where nothing else can be meant)."""
        inner = self._peek()
        if inner.kind != "name":
            return False
        if inner.text in _TYPES:
            return True
        distance = 2
        while self._peek(distance).text == "*":
            distance += 1
        closed = self._peek(distance).text == ")"
        operand = self._peek(distance + 1)
        before = operand.kind in ("name", "number", "character", "keyword") or operand.text in ("(", "~", "!")
        return closed and (distance > 2 or inner.text.endswith("_t") or before)

    def _verbatim(self) -> str:
        """The words up to the parenthesis that closes, which is taken."""
        words: list[str] = []
        depth = 0
        while depth or not self._is(")"):
            token = self._take()
            if token.kind == "end" or token.text == ";":
                raise _Wrong("expected `)`", token.at)
            if token.kind == "keyword":
                raise _Wrong(f"`{token.text}` cannot stand here", token.at)
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            words.append(token.text)
        at = self._take().at
        if not words:
            raise _Wrong("expected a type", at)
        return " ".join(words)

    def _postfix(self) -> Expression:
        base = self._primary()
        while self._token.kind == "operator":
            token = self._token
            if token.text == "[":
                self._take()
                index = self._perhaps_range()
                self._expect("]")
                base = Index(base, index, token.at)
            elif token.text in (".", "->"):
                self._take()
                if self._token.kind != "name":
                    raise _Wrong("expected the name of a member", self._token.at)
                base = Member(base, token.text == "->", self._take().text, token.at)
            elif token.text == "(":
                raise _Wrong("calls are not supported in contracts", token.at)
            else:
                break
        return base

    def _primary(self) -> Expression:
        token = self._take()
        if token.text in STRINGS and self._is("("):
            return self._predicate(token)
        if token.kind == "name":
            return Name(token.text, token.at)
        if token.kind in ("number", "character"):
            return Literal(token.text, token.at)
        if token.kind == "float":
            raise _Wrong("floating point is not supported in contracts yet", token.at)
        if token.text in _CONSTANTS:
            return Constant(token.text, token.at)
        if token.text in _PREDICATES or token.text == "\\old":
            return self._predicate(token)
        if token.kind == "keyword":
            raise _Wrong(f"`{token.text}` is not supported yet", token.at)
        if token.text == "(":
            inner = self._perhaps_range()
            self._expect(")")
            return inner
        if token.text == ";":
            self._next -= 1  # it ends the clause
        found = f"`{token.text}`" if token.text else "the end of the comment"
        raise _Wrong(f"expected an expression before {found}", token.at)

    def _perhaps_range(self) -> Expression:
        """An expression, or a range, whose ends may be missing."""
        first = Unbounded(self._token.at) if self._is("..") else self.expression()
        if not self._is(".."):
            return first
        at = self._take().at
        closed = self._is(")") or self._is("]")
        return Range(first, Unbounded(self._token.at) if closed else self.expression(), at)

    def _predicate(self, token: Token) -> Expression:
        self._expect("(")
        operand = self.expression()
        self._expect(")")
        if token.text == "\\old":
            return Old(operand, token.at)
        return Predicate(token.text, operand, token.at)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

#: What pandas calls the values of a field; other types stay objects.
_DTYPES = {
    "string": "string",
    "text": "string",
    "url": "string",
    "html": "string",
    "markdown": "string",
    "number": "Float64",
    "duration": "Float64",
    "integer": "Int64",
    "boolean": "boolean",
}
#: Types of two columns, as in a table of a database.
_PAIRS = {"money": ("amount", "currency", "string"), "rating": ("value", "best", "Float64")}


def _fields_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    # A parser's record has its schema as a member.
    inner = schema.get("schema", schema)
    fields: Mapping[str, Any] = inner.get("fields", {})
    return fields


def _type_of(field: Any) -> Tuple[str, bool]:
    """A field's type, and whether it has one value."""
    if isinstance(field, str):
        return "string", True
    if not isinstance(field, Mapping) or "fields" in field:
        return "json", False
    take = field.get("take")
    if take == "count":
        return "integer", True
    if take == "exists":
        return "boolean", True
    return str(field.get("type", "string")), take != "all"


def with_address(url: Any, data: Mapping[str, Any]) -> Dict[str, Any]:
    """Data with its page's address as `url`, which gets an underscore where a field is called so."""
    name = "url"
    while name in data:
        name = f"_{name}"
    return {name: url, **data}


def _row(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of a result, or a row as it is."""
    data = result.get("data")
    if not isinstance(data, Mapping) or not set(result) <= {"url", "data", "input", "carry"}:
        return result
    return with_address(result.get("url"), data)


def to_pandas(rows: Iterable[Mapping[str, Any]], schema: Optional[Mapping[str, Any]] = None) -> "pandas.DataFrame":
    """
    Rows as a DataFrame, with dtypes by the parser's types: missing numbers stay missing and whole numbers whole.

    @param rows data of pages, or results of a batch, whose addresses become the column `url` (`_url` beside a field of that name)
    @param schema a parser's schema or record; without it pandas guesses
    """
    import pandas

    table: List[Dict[str, Any]] = [dict(_row(row)) for row in rows]
    fields = {} if schema is None else _fields_of(schema)
    columns: Dict[str, Any] = {}
    names = list(dict.fromkeys([*(name for row in table[:1] for name in row), *fields, *(n for r in table for n in r)]))
    for name in names:
        values = [row.get(name) for row in table]
        kind, is_single = _type_of(fields[name]) if name in fields else ("", False)
        if is_single and kind in _PAIRS:
            first, second, dtype = _PAIRS[kind]
            columns[name] = pandas.array([_part(value, first) for value in values], dtype="Float64")
            columns[f"{name}_{second}"] = pandas.array([_part(value, second) for value in values], dtype=dtype)
        elif is_single and kind in ("date", "datetime"):
            columns[name] = pandas.to_datetime(
                pandas.Series(values, dtype="object"), utc=kind == "datetime", errors="coerce"
            )
        elif is_single and kind in _DTYPES:
            columns[name] = pandas.array(values, dtype=_DTYPES[kind])
        else:
            columns[name] = pandas.Series(values, dtype="object") if name in fields else values
    return pandas.DataFrame(columns)


def _part(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None

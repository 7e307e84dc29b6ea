"""JSON values and the messages of protobuf for them."""

import json
from typing import Any

from google.protobuf.struct_pb2 import NULL_VALUE, ListValue, Struct, Value


def to_value(data: object) -> Value:
    """Converts what `json.dumps` can write. Raises TypeError for other values."""
    return _value_of(json.loads(json.dumps(data, allow_nan=False)))


def to_struct(fields: dict[str, Any]) -> Struct:
    return to_value(fields).struct_value


def from_value(value: Value) -> Any:
    """Returns whole numbers as int: JSON has one type of numbers."""
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return from_struct(value.struct_value)
        case "list_value":
            return [from_value(each) for each in value.list_value.values]
        case _:
            return None


def from_struct(struct: Struct) -> dict[str, Any]:
    return {key: from_value(value) for key, value in struct.fields.items()}


def _value_of(data: Any) -> Value:
    match data:
        case None:
            return Value(null_value=NULL_VALUE)
        case bool():
            return Value(bool_value=data)
        case int() | float():
            return Value(number_value=data)
        case str():
            return Value(string_value=data)
        case list():
            return Value(list_value=ListValue(values=[_value_of(each) for each in data]))
        case _:
            return Value(struct_value=Struct(fields={key: _value_of(each) for key, each in data.items()}))

import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/**
 * Converts a value to a protobuf message as `JSON.stringify` would: undefined and functions are omitted, dates become
 * strings.
 */
export function toValue(data: unknown): Value {
  return fromJson(ValueSchema, JSON.parse(JSON.stringify(data) ?? "null") as JsonValue);
}

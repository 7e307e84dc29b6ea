import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/**
 * The message of anything that JSON can hold. What JSON leaves out, as undefined and functions, is left out; what it writes
 * otherwise, as dates, is so here too.
 */
export function toValue(data: unknown): Value {
  return fromJson(ValueSchema, JSON.parse(JSON.stringify(data) ?? "null") as JsonValue);
}

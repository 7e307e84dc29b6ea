import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { UsageError } from "../../usage-error.ts";

/** Parses `--input`. Throws {@link UsageError} if it is not JSON. */
export function readInput(text: string | undefined): { readonly input?: Value } {
  if (text === undefined) return {};
  try {
    return { input: fromJson(ValueSchema, JSON.parse(text) as JsonValue) };
  } catch {
    throw new UsageError(`--input must be JSON, got ${JSON.stringify(text)}`);
  }
}

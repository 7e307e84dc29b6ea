import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { parseJsonArgument } from "../../json-argument.ts";

/** Parses `--input`. Throws as {@link parseJsonArgument} does. */
export function readInput(text: string | undefined): { readonly input?: Value } {
  if (text === undefined) return {};
  const value = parseJsonArgument(text, "--input", () => `--input must be JSON, got ${JSON.stringify(text)}`);
  return { input: fromJson(ValueSchema, value as JsonValue) };
}

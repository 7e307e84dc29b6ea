import { parseJsonArgument } from "../../json-argument.ts";

/** Parses `--input`. Throws as {@link parseJsonArgument} does. */
export function readInput(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  return parseJsonArgument(text, "--input", () => `--input must be JSON, got ${JSON.stringify(text)}`);
}

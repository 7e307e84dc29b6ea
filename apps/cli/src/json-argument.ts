import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import { UsageError } from "./usage-error.ts";

/** Parses JSON of the command line. Throws {@link UsageError} if it is not JSON, or contains a number that would change. */
export function parseJsonArgument(text: string, name: string, notJson: (reason: string) => string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(notJson(error instanceof Error ? error.message : String(error)));
  }
  const path = inexactNumberPath(text);
  if (path !== undefined) throw new UsageError(`${path === "" ? name : `${name}: ${path}`} ${inexactNumberProblem}`);
  return value;
}

import { UsageError } from "./usage-error.ts";

/** Returns a given value in upper case. Undefined if none is given. Throws {@link UsageError} if it is not one of `values`. */
export function oneOf<T extends string>(values: readonly T[], given: string | undefined, option: string): T | undefined {
  if (given === undefined) return undefined;
  const value = values.find((each) => each === given.toUpperCase());
  if (value === undefined) throw new UsageError(`${option} must be one of ${values.join(", ")}, got ${JSON.stringify(given)}`);
  return value;
}

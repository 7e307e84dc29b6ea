import { InvalidArgumentError } from "commander";

/** Parses a number of things, 1 or more. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("Expected a whole number, 1 or more.");
  return value;
}

import { type OptionType, scalar } from "./option-type.ts";
import { inWords } from "./plain-types.ts";

/** A driver of a family: the name of one of the platform's own, or the module of another one. */
export const driverName: OptionType<string> = scalar("the name of a driver, or its module", (given) => given);

/** {@link driverName} of these drivers. Modules are loaded before the options are read, so they are among the choices. */
export function driverNameOf(names: readonly string[], choices: readonly string[]): OptionType<string> {
  const expected = `${inWords(names, "or")}, or the module of a driver: ./driver.mjs, npm:package`;
  return scalar(expected, (given) => (choices.includes(given) ? given : undefined));
}

/** Returns whether a value of {@link driverName} is a module. */
export function isModule(name: string): boolean {
  return /[/\\]|^[a-z]+:/i.test(name);
}

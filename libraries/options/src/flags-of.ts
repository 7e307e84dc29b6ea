import type { Sections } from "./schema.ts";
import { boolean } from "./types/plain-types.ts";

/** A flag in the form that `parseArgs` of `node:util` accepts. */
export interface Flag {
  readonly type: "string" | "boolean";
  readonly short?: string;
}

/** Returns the flags of the options in these sections, and `-c`/`--config` for the YAML file. */
export function flagsOf(sections: Sections): Readonly<Record<string, Flag>> {
  const options = Object.values(sections).flatMap((section) => Object.values(section.options));
  const flags = options.flatMap(({ flag, type }) =>
    flag === undefined ? [] : [[flag, { type: type === boolean ? "boolean" : "string" }] as const],
  );
  return { config: { type: "string", short: "c" }, ...Object.fromEntries(flags) };
}

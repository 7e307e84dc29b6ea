import type { Sections } from "./schema.ts";
import { boolean } from "./types/plain-types.ts";

/** An option in the form that `parseArgs` of `node:util` accepts. */
export interface FlagOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
}

/** Returns the flags of the settings in these sections, and `-c`/`--config` for the YAML file. */
export function flagOptions(sections: Sections): Readonly<Record<string, FlagOption>> {
  const settings = Object.values(sections).flatMap((section) => Object.values(section.settings));
  const options = settings.flatMap(({ flag, type }) =>
    flag === undefined ? [] : [[flag, { type: type === boolean ? "boolean" : "string" }] as const],
  );
  return { config: { type: "string", short: "c" }, ...Object.fromEntries(options) };
}

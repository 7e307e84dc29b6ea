export { ConfigError, type Problem } from "./config-error.ts";
export { type FlagOption, flagOptions } from "./flag-options.ts";
export type { Origin, OriginKind, Sources } from "./given-values.ts";
export { printConfiguration } from "./print-configuration.ts";
export { type Configuration, readConfiguration, type SettingReport } from "./read-configuration.ts";
export {
  defineSchema,
  defineSection,
  type Finding,
  type FoundSection,
  type FoundValues,
  optional,
  pick,
  type Schema,
  type Section,
  type Sections,
  type SectionValues,
  type Setting,
  type ValueOf,
  type Values,
} from "./schema.ts";
export { parseDuration } from "./types/duration.ts";
export type { FileContent } from "./types/file-content.ts";
export type { NamedKey } from "./types/key-types.ts";
export type { ReadFile, Reading, SettingType } from "./types/setting-type.ts";
export type { KnownNames } from "./unknown-names.ts";

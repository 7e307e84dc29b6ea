export { ConfigError, type ConfigProblem } from "./config-error.ts";
export { type Flag, flagsOf } from "./flags-of.ts";
export type { Origin, OriginKind, Sources } from "./given-values.ts";
export { printConfiguration } from "./print-configuration.ts";
export { type Configuration, type OptionReport, readConfiguration } from "./read-configuration.ts";
export {
  defineSchema,
  defineSection,
  type FoundSection,
  type FoundValues,
  type Option,
  type OptionIssue,
  optional,
  pick,
  type Schema,
  type Section,
  type Sections,
  type SectionValues,
  type Switch,
  type ValueOf,
  type Values,
} from "./schema.ts";
export { textFinder } from "./text-finder.ts";
export { driverNameOf, isModule } from "./types/driver-name.ts";
export { parseDuration } from "./types/duration.ts";
export type { FileContent } from "./types/file-content.ts";
export type { NamedKey } from "./types/key-types.ts";
export type { OptionType, ReadFile, Reading } from "./types/option-type.ts";
export type { KnownNames } from "./unknown-names.ts";

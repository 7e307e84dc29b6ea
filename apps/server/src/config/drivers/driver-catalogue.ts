import type { Driver, DriverIssue, Endpoint, Families, Family, Migration } from "@appserver/driver";
import {
  driverNameOf,
  type FoundValues,
  type Option,
  type OptionIssue,
  optional,
  type Schema,
  type Section,
  type Sections,
  type SectionValues,
} from "@appserver/options";

/** A driver that the configuration can choose. */
export interface KnownDriver<F extends Family = Family> {
  /** The value of `<family>.driver` that chooses it: its name, or its module. */
  readonly choice: string;
  readonly driver: Driver<F>;
}

/** The drivers of every family. */
export type DriverCatalogue = { readonly [F in Family]: readonly KnownDriver<F>[] };

/** A driver with its options. */
export interface ChosenDriver<F extends Family> extends KnownDriver<F> {
  readonly options: SectionValues<Section>;
}

/** The drivers that a process runs on. */
export type ChosenDrivers<F extends Family> = { readonly [Each in F]: ChosenDriver<Each> };

/** Returns the entry of one of the platform's own drivers. */
export function ownDriver<F extends Family>(driver: Driver<F>): KnownDriver<F> {
  return { choice: driver.name, driver };
}

/** A process with the families of drivers that it chooses from. Each has a section with an option `driver`. */
export interface DriverSchema<S extends Sections, F extends Family> extends Omit<Schema<S>, "rules"> {
  readonly families: readonly F[];
  /** As in {@link Schema}. `chosen` returns the driver of a family, if the values choose a known one. */
  rules(found: FoundValues<S>, chosen: ChosenIn): readonly OptionIssue[];
}

type ChosenIn = <F extends Family>(family: F) => Driver<F> | undefined;

type Found = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Returns the schema with the options of every driver, and with the rules of the chosen ones. */
export function withDrivers<S extends Sections>(schema: DriverSchema<S, Family>, catalogue: DriverCatalogue): Schema<S> {
  return {
    ...schema,
    sections: sectionsWithDrivers(schema, catalogue) as S,
    rules: (values) => {
      const found = values as Found;
      const chosen = (family: Family) => chosenIn(family, found, catalogue)?.driver;
      return [...schema.rules(values, chosen as ChosenIn), ...driverIssues(schema, found, catalogue)];
    },
  };
}

/** Returns the sections with those of every driver of the families, each after the section of its family. */
export function sectionsWithDrivers(
  { families, sections }: Pick<DriverSchema<Sections, Family>, "families" | "sections">,
  catalogue: DriverCatalogue,
): Readonly<Record<string, Section>> {
  const entries = Object.entries(sections).flatMap(([name, section]): readonly (readonly [string, Section])[] => {
    const family = families.find((each) => each === name);
    if (family === undefined) return [[name, section]];
    const drivers: readonly KnownDriver[] = catalogue[family];
    return [[name, withNames(section, drivers)], ...drivers.flatMap(sectionOf)];
  });
  return Object.fromEntries(entries);
}

/** Returns the drivers that a process has if none is chosen. */
export function defaultDrivers(
  { families, sections }: Pick<DriverSchema<Sections, Family>, "families" | "sections">,
  catalogue: DriverCatalogue,
): readonly Driver[] {
  return families.flatMap((family) => {
    const choice = sections[family]?.options["driver"]?.default;
    const found = choice === undefined ? {} : { [family]: { driver: choice } };
    return chosenIn(family, found, catalogue)?.driver ?? [];
  });
}

/** Returns the drivers of these values, which were read with {@link withDrivers}. */
export function chosenDrivers<F extends Family>(
  { families }: Pick<DriverSchema<Sections, F>, "families">,
  values: object,
  catalogue: DriverCatalogue,
): ChosenDrivers<F> {
  const found = values as Found;
  const entries = families.map((family) => {
    const known = chosenIn(family, found, catalogue);
    if (!known) throw new Error(`the schema demands a driver of the family ${family}`);
    return [family, Object.freeze({ ...known, options: found[sectionName(known)] ?? {} })] as const;
  });
  return Object.freeze(Object.fromEntries(entries)) as unknown as ChosenDrivers<F>;
}

/** Creates the driver. */
export function openDriver<F extends Family>(
  { driver, options }: ChosenDriver<F>,
  context: Families[F]["context"],
): Promise<Families[F]["opened"]> {
  return driver.open(options, context);
}

/** Returns the servers of the chosen drivers, and those of other ones whose servers the operator has. */
export function endpointsOfDrivers(
  { families }: Pick<DriverSchema<Sections, Family>, "families">,
  values: object,
  catalogue: DriverCatalogue,
): readonly Endpoint[] {
  const found = values as Found;
  return families.flatMap((family) => {
    const chosen = chosenIn(family, found, catalogue);
    const drivers: readonly KnownDriver[] = catalogue[family];
    const used = drivers.filter((known) => known === chosen || isGiven(known, found));
    return used.flatMap((known) => known.driver.endpoints?.(found[sectionName(known)] ?? {}) ?? []);
  });
}

/** Returns the tables of the drivers, in the order of the families. */
export function migrationsOfDrivers(drivers: Readonly<Record<string, ChosenDriver<Family>>>): readonly Migration[] {
  return Object.values(drivers).flatMap(({ driver }) => driver.migrations ?? []);
}

function sectionName({ driver: { family, name } }: KnownDriver): string {
  return `${family}/${name}`;
}

/** A driver that is not chosen requires nothing. */
function sectionOf(known: KnownDriver): readonly (readonly [string, Section])[] {
  const { options: section } = known.driver;
  if (!section) return [];
  const options = Object.entries(section.options).map(([key, option]) => [key, option.required ? optional(option) : option]);
  return [[sectionName(known), { ...section, options: Object.fromEntries(options) }]];
}

/** Returns the section of a family whose option `driver` knows the drivers. */
function withNames(section: Section, drivers: readonly KnownDriver[]): Section {
  const { driver, ...options } = section.options;
  if (!driver) throw new Error(`the section ${section.yaml} has no option for its driver`);
  const own = drivers.filter(({ choice, driver: { name } }) => choice === name);
  const about = drivers.map(({ choice, driver: each }) => `\`${choice}\`: ${each.doc}${each.devOnly ? " (`dev` only)" : ""}`);
  const named: Option = {
    ...driver,
    type: driverNameOf(
      own.map(({ choice }) => choice),
      drivers.map(({ choice }) => choice),
    ),
    doc: `${driver.doc}. ${about.join("; ")}`,
  };
  return { ...section, options: { driver: named, ...options } };
}

/** Without a choice, the driver whose server the operator has is taken, then the first of the family. */
function chosenIn(family: Family, found: Found, catalogue: DriverCatalogue): KnownDriver | undefined {
  const drivers: readonly KnownDriver[] = catalogue[family];
  const choice = found[family]?.["driver"];
  if (choice !== undefined) return drivers.find((known) => known.choice === choice);
  return drivers.find((known) => isGiven(known, found)) ?? drivers[0];
}

function isGiven(known: KnownDriver, found: Found): boolean {
  const { givenBy } = known.driver;
  return givenBy !== undefined && found[sectionName(known)]?.[givenBy] !== undefined;
}

function driverIssues(
  { families, process }: DriverSchema<Sections, Family>,
  found: Found,
  catalogue: DriverCatalogue,
): readonly OptionIssue[] {
  return families.flatMap((family) => {
    const chosen = chosenIn(family, found, catalogue);
    if (!chosen) return [];
    const { driver } = chosen;
    const drivers: readonly KnownDriver[] = catalogue[family];
    const inSection = ({ option, ...issue }: DriverIssue): OptionIssue => ({ ...issue, at: [sectionName(chosen), option] });
    return [
      ...(process === "dev" ? [] : devOnlyIssues(family, chosen, drivers)),
      ...missingIn(chosen, found).map(inSection),
      ...(driver.rules?.(found[sectionName(chosen)] ?? {}) ?? []).map(inSection),
      ...drivers.filter((known) => known !== chosen && isGiven(known, found)).map((known) => unusedIssue(known, chosen)),
    ];
  });
}

function devOnlyIssues(
  family: Family,
  { choice, driver }: KnownDriver,
  drivers: readonly KnownDriver[],
): readonly OptionIssue[] {
  if (driver.devOnly === undefined) return [];
  const others = drivers.filter((known) => known.driver.devOnly === undefined).map((known) => known.choice);
  const message = `expected ${others.join(" or ")}: ${choice} is for appserver dev only, because ${driver.devOnly}`;
  return [{ at: [family, "driver"], message }];
}

function missingIn({ choice, driver }: KnownDriver, found: Found): readonly DriverIssue[] {
  const values = found[`${driver.family}/${driver.name}`] ?? {};
  return Object.entries(driver.options?.options ?? {})
    .filter(([key, option]) => option.required && values[key] === undefined)
    .map(([option]) => ({ option, message: `missing; required if ${driver.family}.driver is ${choice}` }));
}

/** An operator who gave the address of a server expects that it is used. */
function unusedIssue({ choice, driver }: KnownDriver, chosen: KnownDriver): OptionIssue {
  const { family, options, givenBy = "" } = driver;
  const given = options?.options[givenBy]?.env ?? givenBy;
  const message = `${given} is given, but ${family}.driver is ${chosen.choice}: APPSERVER_${family.toUpperCase()}_DRIVER=${choice} uses it`;
  return { at: [family, "driver"], message, severity: "warning" };
}

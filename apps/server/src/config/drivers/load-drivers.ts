import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Driver, type Family, familyVersions } from "@appserver/driver";
import { ConfigError, isModule, type Option, type Section, type Sections, type Sources, textFinder } from "@appserver/options";
import { allSections } from "@appserver/options/sections";
import { builtInDrivers } from "./built-in-drivers.ts";
import type { DriverCatalogue, DriverSchema, KnownDriver } from "./driver-catalogue.ts";

/**
 * Returns the platform's own drivers and the modules that the configuration chooses. A module is named by its path, relative to the
 * file of options or else to the working directory, by its URL, or as `npm:<package>`, looked up from there. It exports a
 * driver as `driver`. Throws ConfigError if a module cannot be loaded or is no driver of its family.
 *
 * Processes share one file, so the drivers of families that this process does not have are loaded for the names of their options. If
 * that fails, the process does without these names.
 */
export async function loadDrivers(
  { families }: Pick<DriverSchema<Sections, Family>, "families">,
  sources: Sources,
): Promise<DriverCatalogue> {
  const catalogue: Record<string, readonly KnownDriver[]> = { ...builtInDrivers };
  const textOf = textFinder(sources);
  for (const family of Object.keys(builtInDrivers) as Family[]) {
    const choice = textOf(allSections[family], "driver");
    if (choice === undefined || !isModule(choice)) continue;
    try {
      const driver = await loadModule(family, choice, sources);
      refuseTakenOptions(driver, choice, [...Object.values(allSections), ...sectionsOf(catalogue)]);
      catalogue[family] = [...(catalogue[family] ?? []), { choice, driver }];
    } catch (error) {
      if (families.includes(family)) throw error;
    }
  }
  return catalogue as unknown as DriverCatalogue;
}

async function loadModule(family: Family, choice: string, { flags }: Sources): Promise<Driver> {
  const file = flags?.["config"];
  const folder = file === undefined ? process.cwd() : dirname(resolve(String(file)));
  const found = await imported(choice, folder).catch((error: unknown) => {
    throw new ConfigError(`${family}.driver=${choice}: could not load the module from ${folder}: ${reasonOf(error)}`);
  });
  const { driver } = found;
  if (!isDriver(driver)) throw refusal(family, choice, "it has no export named driver that defineDriver made");
  if (driver.family !== family) throw refusal(family, choice, `it is a driver of the family ${driver.family}`);
  const version = familyVersions[family];
  if (driver.version === version) return driver;
  throw refusal(
    family,
    choice,
    `it is written for version ${driver.version} of the family; this platform has version ${version}`,
  );
}

function isDriver(value: unknown): value is Driver {
  const { family, name, open } = (typeof value === "object" && value ? value : {}) as Readonly<Record<string, unknown>>;
  return typeof family === "string" && typeof name === "string" && typeof open === "function";
}

function refusal(family: Family, choice: string, reason: string): ConfigError {
  return new ConfigError(`${family}.driver=${choice}: the module is not a driver of the family ${family}: ${reason}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The package that drivers are made with. A module outside of the platform gets the platform's own. */
const driverPackage = "@appserver/driver";

async function imported(choice: string, folder: string): Promise<{ readonly driver?: unknown }> {
  const parentURL = pathToFileURL(join(folder, "options")).href;
  const specifier = specifierOf(choice, folder);
  const own = import.meta.resolve(driverPackage);
  // Packages are looked up from the folder of the options, and the platform's package is not installed with a driver.
  registerHooks({
    resolve: (name, context, next) => {
      if (name === driverPackage) return { url: own, shortCircuit: true };
      return next(name, name === specifier && context.parentURL === import.meta.url ? { ...context, parentURL } : context);
    },
  });
  return await import(specifier);
}

function specifierOf(choice: string, folder: string): string {
  if (choice.startsWith("npm:")) return choice.slice("npm:".length);
  if (choice.startsWith("file:")) return choice;
  const path = isAbsolute(choice) ? choice : join(folder, choice);
  return choice.startsWith(".") || isAbsolute(choice) || existsSync(path) ? pathToFileURL(path).href : choice;
}

function sectionsOf(catalogue: Readonly<Record<string, readonly KnownDriver[]>>): readonly Section[] {
  return Object.values(catalogue).flatMap((drivers) => drivers.flatMap(({ driver }) => driver.options ?? []));
}

/** One value cannot be for two options. */
function refuseTakenOptions(driver: Driver, choice: string, sections: readonly Section[]): void {
  if (!driver.options) return;
  const taken = new Set(sections.flatMap(placesOf));
  const twice = placesOf(driver.options).find((place) => taken.has(place));
  if (twice !== undefined) throw refusal(driver.family, choice, `its option ${twice} is already an option of the platform`);
}

function placesOf({ yaml, aliases = [], options }: Section): readonly string[] {
  return Object.values<Option>(options).flatMap((option) => [
    ...[option.env, ...(option.aliases ?? [])].flatMap((name) => name ?? []),
    ...[yaml, ...aliases].flatMap((name) =>
      name === undefined || option.yaml === undefined ? [] : [`${name}.${option.yaml}`],
    ),
    ...(option.flag === undefined ? [] : [`--${option.flag}`]),
  ]);
}

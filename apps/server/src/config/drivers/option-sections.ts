import type { KnownNames, Section, Sections } from "@appserver/options";
import { allSections, otherVariables } from "@appserver/options/sections";
import { type DriverCatalogue, sectionsWithDrivers } from "./driver-catalogue.ts";

/** Returns every option of the platform and of these drivers, in the order of the reference page. */
export function optionSections(catalogue: DriverCatalogue): Readonly<Record<string, Section>> {
  const sections: Sections = allSections;
  return sectionsWithDrivers({ families: ["authorization", "broker", "cache", "containers", "identity"], sections }, catalogue);
}

/** Returns the names that any process uses. They are not reported as unknown: one environment and one file can serve all processes. */
export function knownNames(catalogue: DriverCatalogue): KnownNames {
  return { sections: Object.values(optionSections(catalogue)), variables: otherVariables };
}

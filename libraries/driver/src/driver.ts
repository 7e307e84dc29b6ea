import type { Endpoint, Migration } from "@appserver/kernel/ports";
import type { FoundSection, Section, SectionValues } from "@appserver/options";
import type { AppImageSource, Families, Family, familyVersions } from "./families.ts";

/** A driver of one family, with all that the platform must know of it before it is opened. */
export type Driver<F extends Family = Family, S extends Section = Section> = DriverParts<F, S> & FamilyParts<S>[F];

interface DriverParts<F extends Family, S extends Section> {
  readonly family: F;
  /** The version of the family's interface that the driver is written for. */
  readonly version: (typeof familyVersions)[F];
  /** The value of `<family>.driver`. A driver outside of the platform has the place of its module in place of it. */
  readonly name: string;
  /** The driver in a few words, for the reference page: "the memory of each process". */
  readonly doc: string;
  /**
   * The driver's own options. `required` applies only if the driver is chosen. They may be in a section of the YAML file that others
   * have options in, too.
   */
  readonly options?: S;
  /** Rules over several of these options, for the chosen driver. They receive all values that could be read. */
  rules?(found: FoundSection<S>): readonly DriverIssue[];
  /** The option that says that the operator has the driver's server. Then another choice is worth a warning. */
  readonly givenBy?: keyof S["options"] & string;
  /** The servers of the driver, which backends of apps must not reach. */
  endpoints?(options: SectionValues<S>): readonly Endpoint[];
  /** The driver's tables in the platform's database. */
  readonly migrations?: readonly Migration[];
  /** Why only `appserver dev` may use the driver, as a sentence without a full stop: "its users have no passwords". */
  readonly devOnly?: string;
  /** Creates the driver. It connects when it is started, or at its first use. Loads its libraries on demand. */
  open(options: SectionValues<S>, context: Families[F]["context"]): Promise<Families[F]["opened"]>;
}

/** What only the drivers of one family have. */
interface FamilyParts<S extends Section> {
  readonly authorization: unknown;
  readonly broker: unknown;
  readonly cache: {
    /** Whether all processes share counters and used signatures. */
    readonly isShared: boolean;
  };
  readonly containers: {
    /** The most instances that one container may have, as in the abilities of the runtime. Default: 1. */
    readonly maxReplicas?: number;
    /** Builds an image on the engine, for `appserver dev`. Absent if the driver runs apps from their folders. */
    makeImage?(options: SectionValues<S>, source: AppImageSource): Promise<void>;
    /** What to do if the engine does not respond, as sentences, after its error. */
    unreachableHint?(options: SectionValues<S>): string;
    /**
     * Tries with short containers whether the engine keeps the networks of apps apart, for `appserver config check`. Returns a sentence for
     * the operator if it does not, or if that could not be tried. Takes at most a minute, and leaves nothing.
     */
    networkProblem?(options: SectionValues<S>): Promise<string | undefined>;
  };
  readonly identity: unknown;
}

/** A problem or warning of a rule over several options of a driver. */
export interface DriverIssue {
  /** Name of the option at fault. */
  readonly option: string;
  /** Completes "expected …". A warning is a sentence by itself. */
  readonly message: string;
  /** A warning does not prevent a start. */
  readonly severity?: "warning";
}

/** Checks a driver against its family and keeps the types of its options. */
export function defineDriver<F extends Family, const S extends Section = Section>(driver: Driver<F, S>): Driver<F, S> {
  return driver;
}

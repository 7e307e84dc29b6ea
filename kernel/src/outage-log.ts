import { AppError, type Dependency } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import { DatabaseError } from "./platform-ports/database.ts";

/** Longer than the pauses of the platform's loops, and than it takes to find that a server is frozen. */
const quietMs = 15_000;

interface Outage {
  readonly startedAt: string;
  /** Monotonic. */
  readonly since: number;
  lastFailure: number;
  /** Number of warnings that were not written, by component. */
  readonly suppressed: Map<string, number>;
}

/**
 * Writes a dependency's outage as two lines instead of one for each failure that it causes: a warning at the first failure, and
 * the number of further warnings of each component once there was none for 15 s. These warnings become debug lines. Errors, and
 * warnings with other reasons, are written as they are (docs/interface/operations.md#log-format).
 */
export class OutageLog implements Logger {
  readonly #target: Logger;
  readonly #clock: Clock;
  readonly #outages: Map<Dependency, Outage>;
  /** Without the bindings of a child: the end of an outage belongs to no component. */
  readonly #root: Logger;

  constructor(target: Logger, clock: Clock, parent?: OutageLog) {
    this.#target = target;
    this.#clock = clock;
    this.#outages = parent ? parent.#outages : new Map();
    this.#root = parent ? parent.#root : target;
  }

  debug(fields: object, message?: string): void {
    this.#target.debug(fields, message);
  }

  info(fields: object, message?: string): void {
    this.#target.info(fields, message);
  }

  warn(fields: object, message?: string): void {
    const dependency = dependencyOf((fields as { readonly err?: unknown }).err);
    const outage = dependency && this.#outages.get(dependency);
    if (!dependency) this.#target.warn(fields, message);
    else if (outage) this.#suppress(outage, fields, message);
    else this.#begin(dependency, fields, message);
  }

  #suppress(outage: Outage, fields: object, message: string | undefined): void {
    outage.lastFailure = this.#clock.monotonic();
    const component = message?.split(":", 1)[0] ?? "";
    outage.suppressed.set(component, (outage.suppressed.get(component) ?? 0) + 1);
    this.#target.debug(fields, message);
  }

  error(fields: object, message?: string): void {
    this.#target.error(fields, message);
  }

  child(bindings: object): Logger {
    return new OutageLog(this.#target.child(bindings), this.#clock, this);
  }

  #begin(dependency: Dependency, fields: object, message: string | undefined): void {
    const since = this.#clock.monotonic();
    const outage = { startedAt: new Date(this.#clock.now()).toISOString(), since, lastFailure: since, suppressed: new Map() };
    this.#outages.set(dependency, outage);
    this.#target.warn(
      { ...fields, dependency, failed: message },
      "outage: a dependency does not respond; further warnings about it are counted",
    );
    void this.#endWhenQuiet(dependency, outage);
  }

  async #endWhenQuiet(dependency: Dependency, outage: Outage): Promise<void> {
    const clock = this.#clock;
    for (let restMs = quietMs; restMs > 0; restMs = outage.lastFailure + quietMs - clock.monotonic()) await clock.sleep(restMs);
    this.#outages.delete(dependency);
    const { startedAt, since, lastFailure, suppressed } = outage;
    this.#root.info(
      { dependency, startedAt, lastedMs: Math.round(lastFailure - since), suppressed: Object.fromEntries(suppressed) },
      `outage: a dependency has caused no warning for ${quietMs / 1_000} s`,
    );
  }
}

/** Returns the dependency whose outage caused the error. */
function dependencyOf(error: unknown): Dependency | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // A timeout may be the fault of one statement.
    if (cause instanceof DatabaseError && cause.reason === "unavailable") return "database";
    if (cause instanceof AppError && cause.dependency) return cause.dependency;
  }
  return undefined;
}

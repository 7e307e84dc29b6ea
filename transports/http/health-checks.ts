import { type Clock, messageOf, singleFlight, within } from "@appserver/kernel";

/** A dependency that the readiness check includes. */
export interface ReadinessCheck {
  readonly name: string;
  /** Without a critical dependency the server is not ready. Without another one it is degraded. */
  readonly critical: boolean;
  /** Resolves when the dependency responds. */
  check(): Promise<void>;
}

export interface CheckResult {
  readonly name: string;
  readonly status: "up" | "down";
  readonly latencyMs: number;
  readonly message?: string;
}

export interface Readiness {
  readonly status: "ready" | "degraded" | "not_ready";
  readonly checks: readonly CheckResult[];
}

export interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  readonly clock: Clock;
  /** Version of the platform. */
  readonly version: string;
  /** Maximum time of one check. Default 2 s. */
  readonly timeoutMs?: number;
}

/** Checks for /health, /ready and the GraphQL query `health` (docs/interface/operations.md#readiness). */
export class HealthChecks {
  readonly version: string;
  readonly #options: HealthOptions;
  readonly #startedAt: number;
  readonly #asked = singleFlight(() => this.#ask());
  #draining = false;
  #checks: readonly ReadinessCheck[];

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#checks = options.checks;
    this.version = options.version;
    this.#startedAt = options.clock.monotonic();
  }

  get uptimeSeconds(): number {
    return Math.round(this.#options.clock.monotonic() - this.#startedAt) / 1000;
  }

  /** Sets the dependencies to check. A start adds them one by one. */
  replaceChecks(checks: readonly ReadinessCheck[]): void {
    this.#checks = checks;
  }

  /** Reports "not ready" from now on, so that load balancers use other replicas. */
  drain(): void {
    this.#draining = true;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  /** Checks all dependencies concurrently. Concurrent callers share one result. */
  async readiness(): Promise<Readiness> {
    const readiness = await this.#asked();
    return this.#draining ? { ...readiness, status: "not_ready" } : readiness;
  }

  async #ask(): Promise<Readiness> {
    const checks = this.#checks;
    const results = await Promise.all(checks.map((check) => this.#run(check)));
    const down = checks.filter((_check, index) => results[index]?.status === "down");
    const degraded = down.length > 0 ? "degraded" : "ready";
    return { status: down.some((check) => check.critical) ? "not_ready" : degraded, checks: results };
  }

  async #run(check: ReadinessCheck): Promise<CheckResult> {
    const { clock, timeoutMs = 2000 } = this.#options;
    const startedAt = clock.monotonic();
    const error = (): Error => new Error(`no response within ${timeoutMs} ms`);
    try {
      await within(async () => check.check(), { clock, ms: timeoutMs, error });
      return { name: check.name, status: "up", latencyMs: clock.monotonic() - startedAt };
    } catch (error) {
      return { name: check.name, status: "down", latencyMs: clock.monotonic() - startedAt, message: messageOf(error) };
    }
  }
}

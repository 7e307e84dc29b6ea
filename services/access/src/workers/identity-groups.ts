import { type Clock, type Component, every, isAppError, type Logger } from "@appserver/kernel";

export interface IdentityGroupsOptions {
  /** Makes the grants of groups those that the option says. */
  readonly apply: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const retryMs = 5_000;

/** Applies the option `identity.groups` once. Waits for an authorization service that does not respond yet. */
export class IdentityGroups implements Component {
  readonly name = "groups";
  readonly #options: IdentityGroupsOptions;
  readonly #ended = new AbortController();
  #applied: Promise<void> = Promise.resolve();

  constructor(options: IdentityGroupsOptions) {
    this.#options = options;
  }

  start(): void {
    const { apply, clock, logger } = this.#options;
    this.#applied = every({
      clock,
      signal: this.#ended.signal,
      intervalMs: retryMs,
      first: "at once",
      run: async () => {
        await apply();
        this.#ended.abort();
      },
      onError: (error) => {
        const isOutage = isAppError(error, "SERVICE_UNAVAILABLE");
        logger.warn({ err: error }, `access: identity.groups could not be applied${isOutage ? "; retrying" : ""}`);
        if (!isOutage) this.#ended.abort();
      },
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#applied;
  }
}

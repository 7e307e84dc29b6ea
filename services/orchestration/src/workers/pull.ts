import { imageOwner } from "@appserver/contracts/names";
import type { Clock, Logger } from "@appserver/kernel";
import { type Deployment, imageOf } from "../domain/deployment.ts";
import { ContainerError } from "../ports.ts";
import type { RepairContext } from "./repair-context.ts";

const progressEveryMs = 1_000;

/**
 * Makes the image of the deployment present and returns its digest. Rejects with `pull_timeout` after the pull timeout. Stores the
 * progress.
 */
export async function pull(deployment: Deployment, context: RepairContext): Promise<string> {
  const { clock, runtime, registry, options } = context;
  const done = new AbortController();
  const late = new AbortController();
  const timeout = clock.sleep(options.pullTimeoutMs, done.signal).then(
    () => late.abort(),
    () => {},
  );
  const progress = new ProgressWriter(
    (fraction, status) => context.deployments.saveProgress(context.writer, deployment.id, fraction, status),
    clock,
    context.logger,
  );
  let isFromRegistry = false;
  try {
    const { digest } = await runtime.pull(imageOf(deployment), {
      signal: AbortSignal.any([context.signal, late.signal]),
      ...(options.credentials ? { credentials: options.credentials(imageOwner(deployment.image)) } : {}),
      onProgress: ({ fraction, status }) => {
        isFromRegistry = true;
        progress.report(fraction, status);
      },
    });
    if (isFromRegistry || runtime.abilities.pulls === "atStart") registry.responded();
    return digest;
  } catch (error) {
    if (isAway(error)) registry.failed(deployment.appName);
    throw error;
  } finally {
    done.abort();
    await timeout;
    await progress.settled();
  }
}

function isAway(error: unknown): boolean {
  return error instanceof ContainerError && (error.reason === "pull_failed" || error.reason === "pull_timeout");
}

/** Stores progress at most once a second, one write at a time. A failed write is ignored. */
class ProgressWriter {
  readonly #save: (fraction: number | undefined, status: string) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #nextAt = 0;
  #writing: Promise<void> | undefined;

  constructor(save: (fraction: number | undefined, status: string) => Promise<void>, clock: Clock, logger: Logger) {
    this.#save = save;
    this.#clock = clock;
    this.#logger = logger;
  }

  report(fraction: number | undefined, status: string): void {
    const now = this.#clock.monotonic();
    if (this.#writing || now < this.#nextAt) return;
    this.#nextAt = now + progressEveryMs;
    this.#writing = this.#save(fraction, status)
      .catch((error: unknown) => this.#logger.debug({ err: error }, "orchestration: could not store the progress of a pull"))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#writing;
  }
}

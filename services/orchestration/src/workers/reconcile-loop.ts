import { backoffMs, WakeUp } from "@appserver/kernel";
import type { DesiredApp } from "../domain/desired-app.ts";
import { HealthWatch } from "./health-watch.ts";
import { type LoopRole, type Rest, reconcileApp } from "./reconcile-app.ts";
import type { OrchestrationContext, Peer, RepairContext } from "./repair-context.ts";

const retries = { firstMs: 1_000, maxMs: 30_000 };
/** While nothing should run, only a wake-up causes another check. */
const absentPauseMs = 600_000;

/** Aborts work whose result is no longer wanted. */
class ObsoleteError extends Error {
  override readonly name = "ObsoleteError";
}

/** Options of a loop. */
interface Purpose {
  /** Ends with the lease. */
  readonly signal: AbortSignal;
  readonly fence: number;
  readonly peer: Peer;
  /** Called when nothing for this loop should run and nothing does. */
  readonly onAbsent: () => void;
}

/** Reconciles the current deployment of an app, or those of a switch, repeatedly. */
export class ReconcileLoop implements Peer {
  readonly #appName: string;
  readonly #role: LoopRole;
  readonly #context: OrchestrationContext;
  readonly #health = new HealthWatch();
  readonly #wakeUp: WakeUp;
  readonly #rested = Promise.withResolvers<void>();
  #isStartup: boolean;
  /** When a check that succeeded began. Monotonic. */
  #checkedAt = Number.POSITIVE_INFINITY;
  #isAbsent = false;
  #failures = 0;
  #work: { readonly goal: string; readonly abandon: AbortController } | undefined;

  constructor(appName: string, role: LoopRole, context: OrchestrationContext, isStartup: boolean) {
    this.#appName = appName;
    this.#role = role;
    this.#context = context;
    this.#wakeUp = new WakeUp(context.clock);
    this.#isStartup = isStartup;
  }

  /** Resolves when this loop has nothing to repair for the first time. */
  get rested(): Promise<void> {
    return this.#rested.promise;
  }

  /** Whether nothing for this loop should run and nothing does, according to the last notification of this loop. */
  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** True after a wake-up that has not caused a check of the app yet. */
  get isWoken(): boolean {
    return this.#wakeUp.isWoken;
  }

  wake(): void {
    this.#isAbsent = false;
    this.#wakeUp.wake();
  }

  /** Discards earlier wake-ups. */
  reset(): void {
    this.#wakeUp.reset();
  }

  interrupt(): void {
    this.wake();
    this.#work?.abandon.abort(new ObsoleteError("the desired state of the app has changed"));
  }

  /** Whether a check or a repair is running. */
  get isWorking(): boolean {
    return this.#work !== undefined;
  }

  /** Abandons work that was begun for another desired state, such as a long pull. */
  abandonUnless(installed: DesiredApp | undefined): void {
    if (this.#work && this.#work.goal !== goalOf(this.#role, installed)) this.interrupt();
  }

  /** Ends with the signal. Never rejects. */
  async run(purpose: Purpose): Promise<void> {
    await this.#repeat(purpose);
    if (this.#role === "current") this.#context.turns.end(this.#appName);
  }

  async #repeat(purpose: Purpose): Promise<void> {
    const { signal } = purpose;
    this.#isAbsent = false;
    while (!signal.aborted) {
      this.#wakeUp.reset();
      const checkedAt = this.#context.clock.monotonic();
      try {
        const rest = await this.#reconcile(purpose);
        this.#checkedAt = checkedAt;
        this.#failures = 0;
        this.#isStartup = false;
        this.#rested.resolve();
        this.#isAbsent = rest.kind === "absent" && !this.#wakeUp.isWoken;
        if (this.#isAbsent) purpose.onAbsent();
        await this.#restUntilNeeded(rest, signal);
      } catch (error) {
        if (error instanceof ObsoleteError) continue;
        if (signal.aborted) break;
        this.#context.engine.note(error);
        const fields = { err: error, app: this.#appName, loop: this.#role };
        this.#context.logger.warn(fields, "orchestration: could not reconcile the app; retrying");
        this.#failures += 1;
        await this.#context.clock.sleep(backoffMs(this.#failures, retries), signal).catch(() => {});
      }
    }
  }

  /** Waits for a wake-up, or until the app must be looked at. A sweep wakes every loop once a minute. */
  async #restUntilNeeded(rest: Rest, signal: AbortSignal): Promise<void> {
    if (rest.kind === "absent") {
      await this.#wakeUp.pause(absentPauseMs, signal);
      return;
    }
    let pauseMs: number | undefined = rest.lookAgainMs;
    while (pauseMs !== undefined) {
      const isWoken = await this.#wakeUp.pause(pauseMs, signal);
      if (isWoken || signal.aborted) return;
      pauseMs = await rest.probeAgain?.();
    }
  }

  async #reconcile({ signal, fence, peer }: Purpose): Promise<Rest> {
    const abandon = new AbortController();
    const installed = await this.#context.apps.get(this.#appName);
    this.#work = { goal: goalOf(this.#role, installed), abandon };
    const context: RepairContext = {
      ...this.#context,
      writer: { appName: this.#appName, fence },
      signal: AbortSignal.any([signal, abandon.signal]),
      health: this.#health,
      peer,
    };
    try {
      // Containers that ended while the engine was away are started again as at the start.
      const isStartup = this.#isStartup || this.#context.engine.wasAwaySince(this.#checkedAt);
      return await reconcileApp(context, this.#role, isStartup);
    } finally {
      this.#work = undefined;
    }
  }
}

/** Returns what identifies the desired state of a loop. Work for another goal is abandoned. */
function goalOf(role: LoopRole, installed: DesiredApp | undefined): string {
  const isNeeded = installed?.enabled && (role === "current" ? installed.needsContainer : installed.next?.needsContainer);
  if (!isNeeded) return "nothing";
  const { generation, next } = installed;
  if (role === "switching") return `operation ${next?.operationId}`;
  // A drain for a switch that was cancelled must end.
  return next?.strategy === "replace" ? `generation ${generation} until ${next.operationId}` : `generation ${generation}`;
}

import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { quietPort } from "./quiet-port.ts";
import type { LongestDelay } from "./watch-event-loop.ts";

/** Maximum that an input may add to the longest delay of the event loop. */
const allowedMs = 50;
const attempts = 3;
const controlMs = { least: 300, most: 3_000 } as const;

/** The longest delay while an input was handled, and while the process was idle for as long. */
interface Attempt {
  readonly attack: LongestDelay;
  readonly control: LongestDelay;
}

/**
 * Watches the event loop of a server under test while it is attacked. Start the server with `environment` in its environment.
 * `assertUnharmed` then fails if an input delays the loop by more than 50 ms over an idle control of the same length and run,
 * in the best of three attempts. On a busy machine a thread also waits for a CPU, so only the time in which the thread had one
 * counts.
 */
export class EventLoopGuard {
  readonly environment: Readonly<Record<string, string>>;
  readonly #url: string;

  private constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}/`;
    const module = pathToFileURL(join(import.meta.dirname, "watch-event-loop.ts")).href;
    this.environment = { EVENT_LOOP_GUARD_PORT: String(port), NODE_OPTIONS: `--import=${module}` };
  }

  static async create(): Promise<EventLoopGuard> {
    return new EventLoopGuard(await quietPort());
  }

  /** Runs `attack` up to three times. Rejects with AssertionError if it delayed the loop for too long each time. */
  async assertUnharmed(attack: () => Promise<unknown>): Promise<void> {
    const seen: Attempt[] = [];
    while (seen.length < attempts) {
      const attempt = await this.#attempt(attack);
      if (addedMs(attempt) <= allowedMs) return;
      seen.push(attempt);
    }
    const shown = seen.map((attempt) => `${shownOf(attempt.attack)}, idle ${shownOf(attempt.control)}`).join("; ");
    assert.fail(`the event loop was blocked for more than ${allowedMs} ms in each of ${attempts} attempts: ${shown}`);
  }

  async #attempt(attack: () => Promise<unknown>): Promise<Attempt> {
    await this.#longestDelay();
    const startedAt = performance.now();
    await attack();
    const attacked = await this.#longestDelay();
    const lastedMs = performance.now() - startedAt;
    await sleep(Math.min(controlMs.most, Math.max(controlMs.least, lastedMs)));
    return { attack: attacked, control: await this.#longestDelay() };
  }

  /** Since the last call. */
  async #longestDelay(): Promise<LongestDelay> {
    const response = await fetch(this.#url);
    return (await response.json()) as LongestDelay;
  }
}

function addedMs({ attack, control }: Attempt): number {
  return Math.min(attack.wallMs - control.wallMs, attack.cpuMs - control.cpuMs);
}

function shownOf({ wallMs, cpuMs }: LongestDelay): string {
  return `${wallMs.toFixed()} ms (${cpuMs.toFixed()} ms with a CPU)`;
}

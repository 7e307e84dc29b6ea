import type { Caller, BodyPace as Pace } from "@appserver/kernel";
import type { SlowBodies } from "./slow-bodies.ts";

/** A body that moves less in a minute is slow. */
export const slowBytesPerMinute = 1_000_000;
const minuteMs = 60_000;

/**
 * Why a body is refused: nothing arrived for the whole limit, it is slow and buffered, or its caller has too many slow bodies.
 */
export type PaceProblem = "paused" | "slow" | "crowded";

/**
 * Judges how one body arrives. `limitMs` limits each pause. It is also the time after which a body must not be slow, unless
 * {@link allowSlow} was called and its caller has a place left. Pure: the caller passes monotonic milliseconds.
 */
export class BodyPace implements Pace {
  readonly #limitMs: number;
  readonly #slow: SlowBodies;
  #received = 0;
  #judgedAt: number;
  /** When the last byte was seen, and how many there were. */
  #movedAt: number;
  #seen = 0;
  /** The current time of `limitMs` in which bytes are counted. */
  #windowAt: number;
  #windowBytes = 0;
  #owner: { readonly caller: Caller; readonly remoteAddress: string } | undefined;
  #leave: (() => void) | undefined;

  constructor(limitMs: number, slow: SlowBodies, nowMs: number) {
    this.#limitMs = limitMs;
    this.#slow = slow;
    this.#judgedAt = nowMs;
    this.#movedAt = nowMs;
    this.#windowAt = nowMs;
  }

  allowSlow(caller: Caller, remoteAddress: string): void {
    this.#owner = { caller, remoteAddress };
  }

  /** Counts what arrived. */
  add(bytes: number): void {
    this.#received += bytes;
  }

  /** Called regularly. `isAwaited`: whether the server would take more. If not, the client is not to blame. */
  judge(nowMs: number, isAwaited: boolean): PaceProblem | undefined {
    const passedMs = nowMs - this.#judgedAt;
    this.#judgedAt = nowMs;
    if (!isAwaited) this.#windowAt += passedMs;
    if (!isAwaited || this.#received > this.#seen) {
      this.#movedAt = nowMs;
      this.#seen = this.#received;
    }
    if (nowMs - this.#movedAt >= this.#limitMs) return "paused";
    return nowMs - this.#windowAt >= this.#limitMs ? this.#judgeWindow(nowMs) : undefined;
  }

  /** Must be called when the body is over. */
  end(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  #judgeWindow(nowMs: number): PaceProblem | undefined {
    const isSlow = this.#received - this.#windowBytes < (slowBytesPerMinute * (nowMs - this.#windowAt)) / minuteMs;
    this.#windowAt = nowMs;
    this.#windowBytes = this.#received;
    if (!isSlow) {
      this.end();
      return undefined;
    }
    if (!this.#owner) return "slow";
    this.#leave ??= this.#slow.take(this.#owner.caller, this.#owner.remoteAddress);
    return this.#leave ? undefined : "crowded";
  }
}

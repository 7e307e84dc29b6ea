import { setTimeout as sleep } from "node:timers/promises";
import type { AnnounceNote, NoteStore } from "./note-store.ts";

/** Hook that other apps can subscribe to. */
export const createdHook = "com.example.notes.created";

const firstPauseMs = 500;
const maxPauseMs = 30_000;

/**
 * Sends each stored note at least once, oldest first, even if the receiver is unreachable for long or this process is killed.
 * The notes themselves are the outbox. All processes of the app share it, and one sends what another one left.
 */
export class CreatedOutbox {
  readonly #store: NoteStore;
  readonly #send: AnnounceNote;
  readonly #pollMs: number;
  readonly #sending: Promise<void>;
  #isStopped = false;
  #hasNew = true;
  /** Set while there is nothing to send. */
  #idle: AbortController | undefined;
  /** Set while it waits after a failure. */
  #failed: AbortController | undefined;

  /** Starts sending in the background. `pollMs` is the time after which a note of another process that has ended is found. */
  constructor(store: NoteStore, send: AnnounceNote, pollMs = 5_000) {
    this.#store = store;
    this.#send = send;
    this.#pollMs = pollMs;
    this.#sending = this.#run();
  }

  /** To be called after a note was stored, so that it is sent without delay. */
  wake(): void {
    this.#hasNew = true;
    this.#idle?.abort();
  }

  /** Stops sending. The remaining notes are sent by another process or after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#idle?.abort();
    this.#failed?.abort();
    await this.#sending;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isStopped; ) {
      try {
        this.#hasNew = false;
        while (!this.#isStopped && (await this.#store.announceNext(this.#send))) failures = 0;
        failures = 0;
        if (this.#hasNew || this.#isStopped) continue;
        this.#idle = new AbortController();
        await pause(this.#pollMs, this.#idle.signal);
        this.#idle = undefined;
      } catch (error) {
        if (failures === 0) console.error("could not send the hook of a new note; retrying:", String(error));
        if (this.#isStopped) return;
        this.#failed = new AbortController();
        await pause(Math.min(firstPauseMs * 2 ** failures, maxPauseMs), this.#failed.signal);
        this.#failed = undefined;
        failures += 1;
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

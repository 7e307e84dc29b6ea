import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Note, NoteStore } from "./note-store.ts";

/** What other apps can subscribe to. */
export const createdHook = "com.example.notes.created";

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * Sends each stored note on, in order and at least once, however long the receiver is away and however often this process
 * is killed. The notes themselves are the outbox; a file beside them says how many were sent.
 */
export class CreatedOutbox {
  readonly #path: string;
  readonly #store: NoteStore;
  readonly #send: (note: Note) => Promise<unknown>;
  readonly #stopped = new AbortController();
  #sent: number;
  #sending: Promise<void> | undefined;

  private constructor(path: string, store: NoteStore, send: (note: Note) => Promise<unknown>, sent: number) {
    this.#path = path;
    this.#store = store;
    this.#send = send;
    this.#sent = sent;
  }

  /** Opens or creates the file; one that is new starts after the notes that are there. Sends what is left over. */
  static async open(path: string, store: NoteStore, send: (note: Note) => Promise<unknown>): Promise<CreatedOutbox> {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    const outbox = new CreatedOutbox(path, store, send, text === undefined ? store.count : Number(text));
    await outbox.#save();
    outbox.wake();
    return outbox;
  }

  /** Sends what is stored and was not sent, unless that is under way. Nobody waits for it. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      // Stored in the moment between the last look and now.
      if (this.#sent < this.#store.count) this.wake();
    });
  }

  /** What is left over is sent after the next {@link open}. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    let failures = 0;
    while (this.#sent < this.#store.count && !this.#stopped.signal.aborted) {
      try {
        const [note] = this.#store.from(this.#sent);
        if (note) await this.#send(note);
        this.#sent += 1;
        await this.#save();
        failures = 0;
      } catch (error) {
        if (failures === 0) console.error("a new note could not be sent on, trying again:", String(error));
        const pause = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
        failures += 1;
        await sleep(pause, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Whole or not at all: a kill in between leaves the number before, and a note is sent twice. */
  async #save(): Promise<void> {
    await writeFile(`${this.#path}.new`, String(this.#sent), { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

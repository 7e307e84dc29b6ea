import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Note, NoteStore } from "./note-store.ts";

/** Hook that other apps can subscribe to. */
export const createdHook = "com.example.notes.created";

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * Sends each stored note in order and at least once, even if the receiver is unreachable for long or this process is killed.
 * The notes themselves are the outbox. A second file contains the number of notes that were sent.
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

  /** Opens or creates the file. A new file starts after the existing notes. Sends the notes that were not sent yet. */
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

  /** Starts sending the unsent notes in the background, unless it is already running. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      // A note may have been stored since the last check.
      if (this.#sent < this.#store.count) this.wake();
    });
  }

  /** Stops sending. The remaining notes are sent after the next {@link open}. */
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
        if (failures === 0) console.error("could not send the hook of a new note; retrying:", String(error));
        const pause = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
        failures += 1;
        await sleep(pause, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Writes the number atomically. If the process is killed before, the old number remains and a note is sent twice. */
  async #save(): Promise<void> {
    await writeFile(`${this.#path}.new`, String(this.#sent), { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

import { randomUUID } from "node:crypto";
import { fstatSync, readSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

export interface Note {
  readonly id: string;
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** `user:<id>` or `app:<name>`. */
  readonly createdBy: string;
}

/**
 * Stores notes in one append-only file, one JSON object per line. A note that {@link add} returned is on the disk and survives
 * a crash and a power cut. During an upgrade two versions of the app use the file: each reads what the other appends.
 */
export class NoteStore {
  readonly #file: FileHandle;
  readonly #path: string;
  /** In the order of the file. */
  readonly #notes = new Map<string, Note>();
  /** Size of the lines that were read, in bytes. */
  #size = 0;
  /** While a note is written it is not read: the write may still fail. */
  #isWriting = false;
  /** The previous write. Each write waits for it, so that lines never mix. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /**
   * Opens or creates the file and its folder. Removes an incomplete last line, whose write was never confirmed. Rejects if a
   * line is damaged.
   */
  static async open(path: string): Promise<NoteStore> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a+", 0o600);
    try {
      const store = new NoteStore(file, path);
      store.#readAppended();
      if ((await file.stat()).size > store.#size) await file.truncate(store.#size);
      await syncFolder(dirname(path));
      return store;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get count(): number {
    this.#readAppended();
    return this.#notes.size;
  }

  get(id: string): Note | undefined {
    this.#readAppended();
    return this.#notes.get(id);
  }

  /** Returns all notes, newest first. */
  list(): readonly Note[] {
    return [...this.from(0)].reverse();
  }

  /** Returns the notes without the first `index`, oldest first. */
  from(index: number): readonly Note[] {
    this.#readAppended();
    return [...this.#notes.values()].slice(index);
  }

  /** Resolves when the note is on the disk. Rejects and stores nothing if it cannot be written. */
  add(text: string, createdBy: string): Promise<Note> {
    const write = this.#last.then(() =>
      this.#append({ id: randomUUID(), text, createdAt: new Date().toISOString(), createdBy }),
    );
    this.#last = write.catch(() => undefined);
    return write;
  }

  /** Closes the file after the active write. */
  async close(): Promise<void> {
    await this.#last;
    await this.#file.close();
  }

  async #append(note: Note): Promise<Note> {
    const line = Buffer.from(`${JSON.stringify(note)}\n`);
    this.#readAppended();
    this.#isWriting = true;
    try {
      await this.#file.appendFile(line);
      await this.#file.datasync();
    } catch (error) {
      // Remove an incomplete line, for example after a full disk. It would damage the next line.
      const { size } = await this.#file.stat();
      if (size <= this.#size + line.length) await this.#file.truncate(this.#size);
      throw error;
    } finally {
      this.#isWriting = false;
    }
    this.#readAppended();
    return note;
  }

  /** Reads the complete lines that were appended since the last call. Synchronous, because it rarely finds any. */
  #readAppended(): void {
    const { fd } = this.#file;
    if (this.#isWriting || fd < 0) return;
    const appended = Buffer.alloc(Math.max(0, fstatSync(fd).size - this.#size));
    const complete = appended.subarray(0, readSync(fd, appended, { position: this.#size })).lastIndexOf("\n") + 1;
    if (complete === 0) return;
    const lines = appended.subarray(0, complete).toString("utf8");
    for (const note of parseNotes(lines, this.#path)) this.#notes.set(note.id, note);
    this.#size += complete;
  }
}

function parseNotes(text: string, path: string): readonly Note[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => {
      const note = parseNote(line);
      if (!note) throw new Error(`${path}: line ${index + 1} is not a note; repair or remove it`);
      return note;
    });
}

function parseNote(line: string): Note | undefined {
  try {
    const value = JSON.parse(line) as Partial<Record<keyof Note, unknown>> | null;
    const isNote = (["id", "text", "createdAt", "createdBy"] as const).every((field) => typeof value?.[field] === "string");
    return isNote ? (value as unknown as Note) : undefined;
  } catch {
    return undefined;
  }
}

/** Syncs the folder: otherwise a new file may be lost in a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { randomUUID } from "node:crypto";
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
 * a crash and a power cut. Only one process at a time may use the file.
 */
export class NoteStore {
  readonly #file: FileHandle;
  readonly #notes: Map<string, Note>;
  /** Size of all complete lines, in bytes. */
  #size: number;
  /** The previous write. Each write waits for it, so that lines never mix. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, notes: Map<string, Note>, size: number) {
    this.#file = file;
    this.#notes = notes;
    this.#size = size;
  }

  /**
   * Opens or creates the file and its folder. Removes an incomplete last line, whose write was never confirmed. Rejects if a
   * line is damaged.
   */
  static async open(path: string): Promise<NoteStore> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a+", 0o600);
    try {
      const contents = await file.readFile();
      const size = contents.lastIndexOf("\n") + 1;
      const notes = parseNotes(contents.subarray(0, size).toString("utf8"), path);
      if (size < contents.length) await file.truncate(size);
      await syncFolder(dirname(path));
      return new NoteStore(file, notes, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get count(): number {
    return this.#notes.size;
  }

  get(id: string): Note | undefined {
    return this.#notes.get(id);
  }

  /** Returns all notes, newest first. */
  list(): readonly Note[] {
    return [...this.#notes.values()].reverse();
  }

  /** Returns the notes without the first `index`, oldest first. */
  from(index: number): readonly Note[] {
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
    try {
      await this.#file.appendFile(line);
      await this.#file.datasync();
    } catch (error) {
      // Remove an incomplete line, for example after a full disk. It would damage the next line.
      await this.#file.truncate(this.#size);
      throw error;
    }
    this.#size += line.length;
    this.#notes.set(note.id, note);
    return note;
  }
}

function parseNotes(text: string, path: string): Map<string, Note> {
  const notes = new Map<string, Note>();
  for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
    const note = parseNote(line);
    if (!note) throw new Error(`${path}: line ${index + 1} is not a note; repair or remove it`);
    notes.set(note.id, note);
  }
  return notes;
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

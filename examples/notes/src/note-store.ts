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
 * Notes in one append-only file, a JSON object a line. A note that was returned by {@link add} is on the disk: it survives
 * a crash and a power cut. The file belongs to one process at a time.
 */
export class NoteStore {
  readonly #file: FileHandle;
  readonly #notes: Map<string, Note>;
  /** Bytes of whole lines. */
  #size: number;
  /** The write before; each waits for it, so that lines never mix. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, notes: Map<string, Note>, size: number) {
    this.#file = file;
    this.#notes = notes;
    this.#size = size;
  }

  /** Opens or creates the file and its folder. A torn last line, which nobody was told is stored, is cut off. Rejects for a damaged line. */
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

  /** Newest first. */
  list(): readonly Note[] {
    return [...this.#notes.values()].reverse();
  }

  /** Oldest first, without the first `index`. */
  from(index: number): readonly Note[] {
    return [...this.#notes.values()].slice(index);
  }

  /** Resolves when the note is on the disk. Rejects, storing nothing, when it cannot be written. */
  add(text: string, createdBy: string): Promise<Note> {
    const write = this.#last.then(() =>
      this.#append({ id: randomUUID(), text, createdAt: new Date().toISOString(), createdBy }),
    );
    this.#last = write.catch(() => undefined);
    return write;
  }

  /** Closes the file when what is being written is written. */
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
      // Half a line, as a full disk leaves it, would spoil the one after it.
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
    if (!note) throw new Error(`${path}: line ${index + 1} is not a note; mend or remove it`);
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

/** A new file is there after a power cut only when its folder was synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

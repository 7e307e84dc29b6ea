import { DropHook, type Hook } from "@appserver/sdk";

/** What app.yaml subscribes to. */
export const noteCreatedHook = "com.example.notes.created";

export interface NoteNews {
  readonly id: string;
  readonly createdAt: string;
}

/** The newest note that the notes app told of. Hooks may come more than once, and of different notes in any order. */
export class LastNote {
  #news: NoteNews | undefined;

  get news(): NoteNews | undefined {
    return this.#news;
  }

  take({ data }: Hook): void {
    const { id, createdAt } = (typeof data === "object" && data !== null ? data : {}) as Partial<Record<string, unknown>>;
    // Another try would bring the same.
    if (typeof id !== "string" || typeof createdAt !== "string") throw new DropHook("not the news of a note");
    if (!this.#news || this.#news.createdAt < createdAt) this.#news = { id, createdAt };
  }
}

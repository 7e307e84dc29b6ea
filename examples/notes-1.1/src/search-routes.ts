import type { NoteStore } from "@appserver/example-notes/note-store";
import { type AppHandler, HttpError } from "@appserver/sdk";

const maxQueryLength = 200;

/** Returns the routes that version 1.1 adds. `limit` returns the current maximum number of notes in a response. */
export function searchRoutes(store: NoteStore, limit: () => number): Readonly<Record<string, AppHandler>> {
  return {
    "GET /search": async ({ query }) => {
      const words = wordsOf(query.get("query"));
      const found = (await store.list()).filter(({ text }) => {
        const lowerCase = text.toLowerCase();
        return words.every((word) => lowerCase.includes(word));
      });
      return { json: { notes: found.slice(0, limit()), total: found.length } };
    },
  };
}

/** Returns the words that a note must contain, in lower case. */
function wordsOf(query: string | null): readonly string[] {
  const words = (query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) throw new HttpError(400, "query must contain a word, like /search?query=milk");
  if (words.join(" ").length > maxQueryLength) throw new HttpError(400, `query must have at most ${maxQueryLength} characters`);
  return words;
}

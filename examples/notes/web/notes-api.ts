export interface Note {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  readonly createdBy: string;
}

export interface NotePage {
  readonly notes: readonly Note[];
  readonly total: number;
}

export const defaultApiBase = "/api/apps/com.example.notes";

/** Fetches the notes. Rejects with a message for the user. */
export async function fetchNotes(apiBase: string, signal: AbortSignal): Promise<NotePage> {
  return (await answerOf(fetch(`${apiBase}/notes`, { signal }), "read")) as NotePage;
}

/** Stores a note. Rejects with a message for the user. */
export async function addNote(apiBase: string, text: string): Promise<Note> {
  const headers = { "content-type": "application/json" };
  return (await answerOf(
    fetch(`${apiBase}/notes`, { method: "POST", headers, body: JSON.stringify({ text }) }),
    "add",
  )) as Note;
}

/** Returns the response body of a request. Rejects with a message for the user. */
export async function answerOf(request: Promise<Response>, what: "read" | "add"): Promise<unknown> {
  const response = await request.catch((error: unknown) => {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Error("The server is unreachable.");
  });
  if (response.ok) return response.json();
  if (response.status === 401) throw new Error(`Sign in to ${what} notes.`);
  if (response.status === 403) throw new Error(`You are not allowed to ${what} notes.`);
  if (response.status === 429) throw new Error("Too many requests. Try again in a minute.");
  throw new Error(`The notes app responded with ${response.status}.`);
}

import type { PageContext } from "@appserver/sdk/page";

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly editedAt?: string;
}

export interface NotePage {
  readonly notes: readonly Note[];
  readonly total: number;
}

/** Sends a request to the backend. */
export type Send = PageContext["fetch"];

/** For a page in a tab of its own. The shell passes its own function, which also works in a frame. */
export const sendDirectly: Send = (path, request) => fetch(`/api/apps/com.example.notes${path}`, request);

/** What a request does to notes, for messages. */
type Intention = "add" | "delete" | "edit" | "read";

/** Fetches the notes. Rejects with a message for the user. */
export async function fetchNotes(send: Send, signal: AbortSignal): Promise<NotePage> {
  return (await answerOf(send("/notes", { signal }), "read")) as NotePage;
}

/** Stores a note. Rejects with a message for the user. */
export async function addNote(send: Send, text: string): Promise<Note> {
  return (await answerOf(send("/notes", withText("POST", text)), "add")) as Note;
}

/** Replaces the text of a note. Rejects with a message for the user. */
export async function editNote(send: Send, id: string, text: string): Promise<void> {
  await answerOf(send(`/notes/${id}`, withText("PUT", text)), "edit");
}

/** Rejects with a message for the user. */
export async function deleteNote(send: Send, id: string): Promise<void> {
  await answerOf(send(`/notes/${id}`, { method: "DELETE" }), "delete");
}

/** Returns the revision of the notes: at once if it is not `known`, otherwise after a change or some seconds. */
export async function fetchRevision(send: Send, known: string, signal: AbortSignal): Promise<string> {
  const { revision } = (await answerOf(send(`/changes?${new URLSearchParams({ after: known })}`, { signal }), "read")) as {
    readonly revision: string;
  };
  return revision;
}

function withText(method: string, text: string) {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) };
}

/** Returns the response body of a request. Rejects with a message for the user. */
export async function answerOf(request: Promise<Response>, what: Intention): Promise<unknown> {
  const response = await request.catch((error: unknown) => {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Error("The server is unreachable.");
  });
  if (response.status === 204) return undefined;
  if (response.ok) return response.json();
  if (response.status === 401) throw new Error(`Sign in to ${what} notes.`);
  if (response.status === 403) throw new Error(`You are not allowed to ${what} notes.`);
  if (response.status === 404) throw new Error("This note was deleted.");
  if (response.status === 429) throw new Error("Too many requests. Try again in a minute.");
  throw new Error(`The notes app responded with ${response.status}.`);
}

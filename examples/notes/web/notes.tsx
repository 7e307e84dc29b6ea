import { type ReactNode, useCallback, useEffect, useState } from "react";
import { mountPage } from "./mount-page.tsx";
import { NoteForm } from "./note-form.tsx";
import { NoteList } from "./note-list.tsx";
import { addNote, defaultApiBase, fetchNotes, type NotePage } from "./notes-api.ts";

export interface NotesProps {
  /** Base path of the backend. Default: the path under which the platform serves it. */
  readonly apiBase?: string;
  /** What another version shows between the form and the notes. */
  readonly tools?: ReactNode;
}

/** The page, without styles. Hosts should call {@link mount}, which also applies the styles. */
export function Notes({ apiBase = defaultApiBase, tools }: NotesProps) {
  const [page, setPage] = useState<NotePage>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt must fetch again.
  useEffect(() => {
    const abort = new AbortController();
    setProblem(undefined);
    fetchNotes(apiBase, abort.signal).then(setPage, (error: Error) => {
      if (!abort.signal.aborted) setProblem(error.message);
    });
    return () => abort.abort();
  }, [apiBase, attempt]);

  const add = useCallback(
    async (text: string) => {
      const note = await addNote(apiBase, text);
      setPage((before) => ({ notes: [note, ...(before?.notes ?? [])], total: (before?.total ?? 0) + 1 }));
    },
    [apiBase],
  );

  return (
    <main className="notes-app">
      <header className="notes-header">
        <h1>Notes</h1>
        <p role="status">{page ? countOf(page.total) : problem ? "" : "Loading…"}</p>
      </header>
      <NoteForm onAdd={add} />
      {tools}
      {problem ? (
        <div className="notes-problem" role="alert">
          <p>{problem}</p>
          <button type="button" className="notes-button notes-quiet" onClick={() => setAttempt((n) => n + 1)}>
            Try again
          </button>
        </div>
      ) : (
        page && <NoteList page={page} />
      )}
    </main>
  );
}

function countOf(total: number): string {
  if (total === 0) return "No notes yet";
  return total === 1 ? "1 note" : `${total} notes`;
}

/** Shows the page in an element and returns a function that removes it. Every frontend of the platform exports `mount`. */
export function mount(element: Element, props: NotesProps = {}): () => void {
  return mountPage(element, <Notes {...props} />);
}

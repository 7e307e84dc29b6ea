import type { PageContext } from "@appserver/sdk/page";
import { type ReactNode, useCallback, useSyncExternalStore } from "react";
import { mountPage } from "./mount-page.tsx";
import { NoteForm } from "./note-form.tsx";
import { NoteList } from "./note-list.tsx";
import { addNote, deleteNote, editNote, type Send, sendDirectly } from "./notes-api.ts";
import { useNotes } from "./use-notes.ts";

export interface NotesProps {
  readonly send: Send;
  /** What the shell shows below the base: `/new` or `/about`. */
  readonly path: string;
  /** What another version shows between the form and the notes. */
  readonly tools?: ReactNode;
}

/** The page, without styles. {@link mount} also applies the styles. */
export function Notes({ send, path, tools }: NotesProps) {
  if (path.startsWith("/about")) return <About />;
  return <AllNotes send={send} isNew={path.startsWith("/new")} tools={tools} />;
}

function AllNotes({ send, isNew, tools }: { readonly send: Send; readonly isNew: boolean; readonly tools: ReactNode }) {
  const { page, problem, refresh } = useNotes(send);
  const add = useCallback(
    async (text: string) => {
      await addNote(send, text);
      refresh();
    },
    [send, refresh],
  );
  const edit = useCallback((id: string, text: string) => editNote(send, id, text), [send]);
  const remove = useCallback((id: string) => deleteNote(send, id), [send]);

  return (
    <main className="app narrow">
      <link rel="stylesheet" href="/sdk/app.css" precedence="default" />
      <header className="row spread">
        <h1>Notes</h1>
        <p className="small dim" role="status">
          {page ? countOf(page.total) : problem ? "" : "Loading…"}
        </p>
      </header>
      <NoteForm onAdd={add} isNew={isNew} />
      {tools}
      {problem && (
        <div className="empty error" role="alert">
          <p>{problem}</p>
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </div>
      )}
      {page && <NoteList page={page} onEdit={edit} onRemove={remove} />}
    </main>
  );
}

function countOf(total: number): string {
  if (total === 0) return "No notes yet";
  return total === 1 ? "1 note" : `${total} notes`;
}

function About() {
  return (
    <main className="app narrow">
      <link rel="stylesheet" href="/sdk/app.css" precedence="default" />
      <h1>About notes</h1>
      <p>Notes keeps short texts in a database of its own. They outlast crashes, upgrades and reinstallations of the app.</p>
    </main>
  );
}

/** The path that the shell shows, also after it has changed. */
export function WithPath({
  page,
  children,
}: {
  readonly page: PageContext | undefined;
  readonly children: (path: string) => ReactNode;
}) {
  const subscribe = useCallback((onChange: () => void) => page?.onPathChange(onChange) ?? (() => {}), [page]);
  return children(useSyncExternalStore(subscribe, () => page?.path ?? ""));
}

/**
 * Shows the page in an element and returns a function that removes it. Every frontend of the platform exports `mount`. Without a
 * shell, the page is in a tab of its own.
 */
export function mount(element: HTMLElement, page?: PageContext): () => void {
  const send = page?.fetch ?? sendDirectly;
  return mountPage(element, <WithPath page={page}>{(path) => <Notes send={send} path={path} />}</WithPath>, page);
}

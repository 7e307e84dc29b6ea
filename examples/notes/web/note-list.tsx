import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Note, NotePage } from "./notes-api.ts";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

interface NoteActions {
  /** Rejects with a message for the user. */
  readonly onEdit?: (id: string, text: string) => Promise<void>;
  /** Rejects with a message for the user. */
  readonly onRemove?: (id: string) => Promise<void>;
}

export interface NoteListProps extends NoteActions {
  readonly page: NotePage;
  /** The name of the list for screen readers. */
  readonly label?: string;
}

/** Notes. They can be edited and deleted if there are functions for it. */
export function NoteList({ page, label = "All notes, newest first", ...actions }: NoteListProps) {
  if (page.notes.length === 0) return <p className="empty">Nothing here yet. What you write above is kept.</p>;
  return (
    <section aria-label={label}>
      <ul className="stack">
        {page.notes.map((note) => (
          <li key={note.id} className="card">
            <NoteItem note={note} {...actions} />
          </li>
        ))}
      </ul>
      {page.total > page.notes.length && <p className="small dim">The newest {page.notes.length} are shown.</p>}
    </section>
  );
}

function NoteItem({ note, onEdit, onRemove }: NoteActions & { readonly note: Note }) {
  const [mode, setMode] = useState<"edit" | "remove" | "show">("show");
  const [problem, setProblem] = useState<string>();
  const editButton = useRef<HTMLButtonElement>(null);

  async function remove(): Promise<void> {
    setProblem(undefined);
    await onRemove?.(note.id).catch((error: Error) => setProblem(error.message));
  }

  if (mode === "edit" && onEdit)
    return (
      <NoteEditor
        note={note}
        onEdit={onEdit}
        onClose={() => {
          setMode("show");
          // The button is shown again with the next rendering.
          requestAnimationFrame(() => editButton.current?.focus());
        }}
      />
    );
  return (
    <>
      <p className="notes-text">{note.text}</p>
      <div className="row small dim">
        <span>{note.createdBy.replace(/^(user|app):/, "")}</span>
        <time dateTime={note.createdAt}>{when.format(new Date(note.createdAt))}</time>
        {note.editedAt && <span title={when.format(new Date(note.editedAt))}>edited</span>}
        {onEdit && onRemove && (
          <span className="notes-actions row">
            <button
              ref={editButton}
              type="button"
              className="link"
              aria-label={`Edit: ${note.text}`}
              onClick={() => setMode("edit")}
            >
              Edit
            </button>
            {mode === "remove" ? (
              <button
                ref={(element) => element?.focus()}
                type="button"
                className="link danger"
                onBlur={() => setMode("show")}
                onClick={() => void remove()}
              >
                Delete this note?
              </button>
            ) : (
              <button type="button" className="link" aria-label={`Delete: ${note.text}`} onClick={() => setMode("remove")}>
                Delete
              </button>
            )}
          </span>
        )}
      </div>
      {problem && (
        <p className="small error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface NoteEditorProps {
  readonly note: Note;
  readonly onEdit: (id: string, text: string) => Promise<void>;
  readonly onClose: () => void;
}

/** What was typed is kept if another person changes the note, and if it cannot be saved. */
function NoteEditor({ note, onEdit, onClose }: NoteEditorProps) {
  const [text, setText] = useState(note.text);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (text.trim() === "") return setProblem("Write something, or delete the note.");
    setBusy(true);
    setProblem(undefined);
    try {
      await onEdit(note.id, text);
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  function onKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape") onClose();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
  }

  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <textarea
        ref={field}
        aria-label="Text of the note"
        aria-invalid={problem !== undefined}
        rows={3}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
      />
      {problem && (
        <p className="small error" role="alert">
          {problem}
        </p>
      )}
      <div className="row spread">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="primary" aria-disabled={busy}>
          {busy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  );
}

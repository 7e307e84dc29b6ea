import type { Note, NotePage } from "./notes-api.ts";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export interface NoteListProps {
  readonly page: NotePage;
  /** The name of the list for screen readers. */
  readonly label?: string;
}

export function NoteList({ page, label = "All notes, newest first" }: NoteListProps) {
  if (page.notes.length === 0) return <p className="notes-empty">Nothing here yet. What you write above is kept.</p>;
  return (
    <section aria-label={label}>
      <ul className="notes-list">
        {page.notes.map((note) => (
          <NoteItem key={note.id} note={note} />
        ))}
      </ul>
      {page.total > page.notes.length && <p className="notes-hint">The newest {page.notes.length} are shown.</p>}
    </section>
  );
}

function NoteItem({ note }: { readonly note: Note }) {
  return (
    <li className="notes-item">
      <p className="notes-text">{note.text}</p>
      <p className="notes-meta">
        <span>{note.createdBy.replace(/^(user|app):/, "")}</span>
        <time dateTime={note.createdAt}>{when.format(new Date(note.createdAt))}</time>
      </p>
    </li>
  );
}

import { NoteList } from "@appserver/example-notes/web/note-list";
import { answerOf, type NotePage, type Send } from "@appserver/example-notes/web/notes-api";
import { type FormEvent, useId, useState } from "react";

/** A search over the texts of all notes, with what it found. */
export function NoteSearch({ send }: { readonly send: Send }) {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<NotePage>();
  const [problem, setProblem] = useState<string>();
  const id = useId();

  async function search(event: FormEvent): Promise<void> {
    event.preventDefault();
    setProblem(undefined);
    setFound(undefined);
    if (query.trim() === "") return;
    try {
      setFound((await answerOf(send(`/search?${new URLSearchParams({ query })}`), "read")) as NotePage);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <search>
      <form onSubmit={(event) => void search(event)}>
        <label htmlFor={id}>Search notes</label>
        <div className="row">
          <input id={id} type="search" maxLength={200} value={query} onChange={(event) => setQuery(event.target.value)} />
          <button type="submit">Search</button>
        </div>
      </form>
      <p className={problem ? "small error" : "small dim"} role="status">
        {problem ?? (found && `${found.total} found`)}
      </p>
      {found && found.total > 0 && <NoteList page={found} label="Found notes, newest first" />}
    </search>
  );
}

import { mountPage } from "@appserver/example-notes/web/mount-page";
import { Notes, type NotesProps } from "@appserver/example-notes/web/notes";
import { defaultApiBase } from "@appserver/example-notes/web/notes-api";
import { NoteSearch } from "./note-search.tsx";
import css from "./search.css?inline";

/** Shows the page in an element and returns a function that removes it, as version 1.0 does. */
export function mount(element: Element, { apiBase = defaultApiBase }: NotesProps = {}): () => void {
  return mountPage(element, <Notes apiBase={apiBase} tools={<NoteSearch apiBase={apiBase} />} />, css);
}

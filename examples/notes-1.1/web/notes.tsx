import { mountPage } from "@appserver/example-notes/web/mount-page";
import { Notes, WithPath } from "@appserver/example-notes/web/notes";
import { sendDirectly } from "@appserver/example-notes/web/notes-api";
import type { PageContext } from "@appserver/sdk/page";
import { NoteSearch } from "./note-search.tsx";

/** Shows the page in an element and returns a function that removes it, as version 1.0 does. */
export function mount(element: HTMLElement, page?: PageContext): () => void {
  const send = page?.fetch ?? sendDirectly;
  const content = (path: string) => <Notes send={send} path={path} tools={<NoteSearch send={send} />} />;
  return mountPage(element, <WithPath page={page}>{content}</WithPath>, page);
}

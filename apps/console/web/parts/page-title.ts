import { useEffect } from "react";
import { Store, useStore } from "../api/store.ts";

const title: Store<string> = new Store("Console");

/** Returns the title of the page that is shown. */
export function useTitle(): string {
  return useStore(title);
}

/** Sets the title of the top bar and of the browser's tab. */
export function usePageTitle(text: string): void {
  useEffect(() => {
    title.set(text);
    document.title = `${text} · Appserver`;
  }, [text]);
}

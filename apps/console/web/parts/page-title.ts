import { useEffect } from "react";

/** Sets the title of the browser's tab. The page itself shows it as its heading. */
export function usePageTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · Appserver`;
  }, [text]);
}

import { useEffect } from "react";
import { platformName } from "./platform-name.ts";

/** Sets the title of the browser's tab. The page itself shows it as its heading. */
export function usePageTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · ${platformName()}`;
  }, [text]);
}

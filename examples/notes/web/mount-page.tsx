import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { adoptStyles } from "./adopt-styles.ts";
import css from "./notes.css?inline";

/** Shows a page with the styles of notes in an element. Returns a function that removes both. */
export function mountPage(element: Element, page: ReactNode, moreCss = ""): () => void {
  const dropStyles = adoptStyles(element, css + moreCss);
  const root = createRoot(element);
  root.render(<StrictMode>{page}</StrictMode>);
  return () => {
    root.unmount();
    dropStyles();
  };
}

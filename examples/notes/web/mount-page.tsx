import type { PageContext } from "@appserver/sdk/page";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { adoptStyles } from "./adopt-styles.ts";
import css from "./notes.css?inline";

/** What the page uses of the shell. */
export type Shell = Pick<PageContext, "theme" | "onThemeChange">;

/**
 * Shows a page with the styles of notes in an element, in the theme of the shell, or without one in that of the system. Returns a
 * function that removes it.
 */
export function mountPage(element: HTMLElement, page: ReactNode, shell?: Shell): () => void {
  const dropStyles = adoptStyles(element, css);
  element.style.colorScheme = shell?.theme ?? "light dark";
  const unwatch = shell?.onThemeChange((theme) => {
    element.style.colorScheme = theme;
  });
  const root = createRoot(element);
  root.render(<StrictMode>{page}</StrictMode>);
  return () => {
    unwatch?.();
    root.unmount();
    dropStyles();
  };
}

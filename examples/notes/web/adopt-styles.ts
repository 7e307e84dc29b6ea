/**
 * Applies a style sheet to the document or shadow root of an element. Returns a function that removes it. Adopted style sheets
 * work under a content security policy that forbids inline styles.
 */
export function adoptStyles(element: Element, css: string): () => void {
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return () => {};
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

import { createHash } from "node:crypto";
import { escapeHtml } from "@appserver/kernel";

export interface PlainPage {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  /** Seconds after which the browser loads the page again. Undefined if it never does. */
  readonly refreshAfter?: number;
}

const styles = `
    :root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif }
    body { margin: 0; background: light-dark(#f1f3f5, #1f1f1f); color: light-dark(#000, #c9c9c9) }
    main { box-sizing: border-box; width: min(28rem, calc(100vw - 2rem)); margin: 8vh auto; padding: 2rem; border-radius: 16px; background: light-dark(#fff, #242424); overflow-wrap: anywhere }
    h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.3 }
    strong { font-family: ui-monospace, monospace }
    form, nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center }
    input { padding: .5rem .75rem; border: 1px solid light-dark(#868e96, #696969); border-radius: 8px; background: none; color: inherit; font: inherit; font-family: ui-monospace, monospace }
    button { padding: .5rem 1.25rem; border: 0; border-radius: 8px; background: #3b5bdb; color: #fff; font: inherit; font-weight: 600; cursor: pointer }
    a { color: inherit }
    :focus-visible { outline: 2px solid light-dark(#3b5bdb, #748ffc); outline-offset: 2px }
  `;

/** Returns a page of the platform without scripts. */
export function plainPage({ title, content, refreshAfter }: PlainPage): string {
  const refresh = refreshAfter === undefined ? "" : `\n  <meta http-equiv="refresh" content="${refreshAfter}">`;
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">${refresh}
  <title>${escapeHtml(title)} · Appserver</title>
  <style>${styles}</style>
</head>
<body>
<main>
  <h1>${escapeHtml(title)}</h1>
  ${content}
</main>
</body>
</html>
`;
}

/**
 * Returns the `Content-Security-Policy` of a page that can only show its own styles.
 *
 * @param formTargets - Where its forms, and the responses to them, may lead.
 */
export function pagePolicy(html: string, formTargets: string): string {
  return `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${formTargets}; style-src ${stylesOf(html)}`;
}

/** Returns the sources of the page's own `<style>` elements: the hash of each. */
function stylesOf(html: string): string {
  const hashes = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  return hashes.length > 0 ? hashes.join(" ") : "'none'";
}

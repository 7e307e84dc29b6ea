import { brandingPaths } from "@appserver/contracts/branding";
import { escapeHtml } from "@appserver/kernel";

export interface PlainPage {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  /** Seconds after which the browser loads the page again. Undefined if it never does. */
  readonly refreshAfter?: number;
}

/** What a page needs to show the styles and the logo of the platform. */
export const pageSources = "style-src 'self'; img-src 'self'";

/** Elements of the head of every page without an application. */
export const pageHead = `<meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${brandingPaths.logo}">
  <link rel="stylesheet" href="${brandingPaths.page}">`;

/** The logo and the name of the platform, which lead to its home page. The style sheet has the name. */
export const brandLink = `<a class="brand" href="/"><img src="${brandingPaths.logo}" alt="Home page"><span></span></a>`;

/** Returns a page of the platform without scripts. */
export function plainPage({ title, content, refreshAfter }: PlainPage): string {
  const refresh = refreshAfter === undefined ? "" : `\n  <meta http-equiv="refresh" content="${refreshAfter}">`;
  return `<!doctype html>
<html lang="en">
<head>
  ${pageHead}${refresh}
  <title>${escapeHtml(title)}</title>
</head>
<body>
<header>${brandLink}</header>
<main class="card">
  <h1>${escapeHtml(title)}</h1>
  ${content}
</main>
</body>
</html>
`;
}

/**
 * Returns the `Content-Security-Policy` of a page without scripts.
 *
 * @param formTargets - Where its forms, and the responses to them, may lead.
 */
export function pagePolicy(formTargets: string): string {
  return `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${formTargets}; ${pageSources}`;
}

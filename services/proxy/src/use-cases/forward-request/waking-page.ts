import { brandingPaths } from "@appserver/contracts/branding";
import { escapeHtml } from "@appserver/kernel";

/** Returns the page that a browser shows while an app starts. It asks again every second. */
export function wakingPage(appName: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${brandingPaths.logo}">
<link rel="stylesheet" href="${brandingPaths.page}">
<title>Starting ${escapeHtml(appName)}</title>
<header>
  <a class="brand" href="/"><img src="${brandingPaths.logo}" alt="Home page"><span></span></a>
</header>
<main class="card">
<h1>Starting</h1>
<p>${escapeHtml(appName)} was asleep because it was not in use. This page opens it as soon as it has started.</p>
</main>
</html>
`;
}

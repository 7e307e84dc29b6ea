import { escapeHtml } from "@appserver/kernel";

/** Returns the page that a browser shows while an app starts. It asks again every second. */
export function wakingPage(appName: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<meta name="viewport" content="width=device-width">
<title>Starting ${escapeHtml(appName)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 30rem; padding: 0 1rem; color-scheme: light dark }
</style>
<h1>Starting</h1>
<p>${escapeHtml(appName)} was asleep because it was not in use. This page opens it as soon as it has started.</p>
</html>
`;
}

import { apiPath } from "@appserver/contracts/patterns";
import type { Site } from "./site.ts";

/** Returns the page at `/`, which lists the available paths. */
export function rootPage(options: { readonly devLogin: boolean; readonly sites: readonly Site[] }): string {
  const links: readonly (readonly [string, string])[] = [
    ["/health", "whether the process runs"],
    ["/ready", "whether its dependencies respond"],
    ...(options.devLogin ? [["/dev/login", "log in as a development user"] as const] : []),
    ...options.sites.flatMap(({ listed }) => (listed ? [[listed.path, listed.text] as const] : [])),
  ];
  const forms: readonly (readonly [string, string])[] = [
    ["/graphql", "the API: POST, GET, and WebSocket"],
    ["/apps/{appName}/assets/{assetName}", "frontends of apps"],
    [`${apiPath("{appName}")}/…`, "backends of apps"],
  ];
  const items = [
    ...links.map(([path, text]) => `<li><a href="${path}">${path}</a> – ${text}</li>`),
    ...forms.map(([path, text]) => `<li><code>${path}</code> – ${text}</li>`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Appserver</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
</style>
</head>
<body>
<h1>Appserver</h1>
<ul>
${items.join("\n")}
</ul>
</body>
</html>
`;
}

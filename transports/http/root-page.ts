import { apiPath } from "@appserver/contracts/patterns";
import { plainPage } from "./plain-page.ts";
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
  return plainPage({ title: "Paths of this platform", content: `<ul>\n${items.join("\n")}\n</ul>` });
}

import { createHash } from "node:crypto";
import { escapeHtml, type RestRoute } from "@appserver/kernel";

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
summary { cursor: pointer; padding: .25rem 0 }
code, pre { font: .875rem/1.5 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; background: color-mix(in srgb, currentColor 8%, transparent); border-radius: .25rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600 }
`;

/** The page needs its own style and nothing else: no script, no other origin. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** Returns the HTML page that shows the routes with their parameters, bodies and responses. */
export function docsPage(routes: readonly RestRoute[], components: Readonly<Record<string, object>>): string {
  const tags = [...Map.groupBy(routes, ({ documentation }) => documentation.tag)].sort(([a], [b]) => a.localeCompare(b));
  const schemas = Object.entries(components).sort(([a], [b]) => a.localeCompare(b));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Appserver REST API</title>
<style>${style}</style>
</head>
<body>
<h1>Appserver REST API</h1>
<p>Machines read the same as <a href="/api/v2/openapi.json">OpenAPI 3.1</a>.</p>
${tags.map(([tag, ofTag]) => `<h2>${escapeHtml(tag)}</h2>\n${ofTag.map(routeHtml).join("\n")}`).join("\n")}
<h2>Schemas</h2>
${schemas.map(([name, schema]) => schemaHtml(name, schema)).join("\n")}
</body>
</html>
`;
}

function routeHtml({ method, url, schema, documentation }: RestRoute): string {
  const { summary, headers = {}, responses } = documentation;
  const rows = [
    ...parameterRows("path", schema.params),
    ...parameterRows("query", schema.query),
    ...Object.entries(headers).map(([name, meaning]) => rowHtml(name, "header", "string", meaning)),
    ...parameterRows("body", schema.body),
  ];
  const parameters =
    rows.length > 0 ? `<table><tr><th>name<th>in<th>type<th>meaning</tr>${rows.join("")}</table>` : "<p>No parameters.</p>";
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<p><b>${escapeHtml(status)}</b> ${escapeHtml(response.description)}</p>${response.schema ? `<pre>${jsonHtml(response.schema)}</pre>` : ""}`,
  );
  const address = url.replace(/:(\w+)/g, "{$1}");
  return `<details><summary><code><span class="method">${method}</span>${escapeHtml(address)}</code> ${escapeHtml(summary)}</summary>
${parameters}
${answers.join("\n")}
</details>`;
}

function parameterRows(place: string, schema: object | undefined): readonly string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, { description = "", ...rest }]) =>
    rowHtml(required.includes(name) ? `${name} (required)` : name, place, JSON.stringify(rest.type ?? rest), description),
  );
}

function rowHtml(name: string, place: string, type: string, meaning: string): string {
  return `<tr><td><code>${escapeHtml(name)}</code><td>${place}<td><code>${escapeHtml(type)}</code><td>${escapeHtml(meaning)}</tr>`;
}

function schemaHtml(name: string, schema: object): string {
  return `<details id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary><pre>${jsonHtml(schema)}</pre></details>`;
}

function jsonHtml(value: object): string {
  return escapeHtml(JSON.stringify(value, null, 2));
}

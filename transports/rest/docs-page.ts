import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeHtml, type RestRoute } from "@appserver/kernel";
import { brandLink, pageHead, pageSources } from "../http/plain-page.ts";

const fileOf = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const style = fileOf("docs-page.css");
const script = fileOf("docs-page-search.js");
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page needs the styles of the platform, its own style and its search, and nothing of another origin. */
export const docsPolicy = `default-src 'none'; script-src ${hashOf(script)}; ${pageSources.replace("'self'", `'self' ${hashOf(style)}`)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** Returns the HTML page that shows the routes with their parameters, bodies and responses. */
export function docsPage(routes: readonly RestRoute[], components: Readonly<Record<string, object>>): string {
  const tags = [...Map.groupBy(routes, ({ documentation }) => documentation.tag)].sort(([a], [b]) => a.localeCompare(b));
  const schemas = Object.entries(components).sort(([a], [b]) => a.localeCompare(b));
  const contents = [...tags.map(([tag]) => tag), "schemas"].map(
    (tag) => `<li><a href="#${escapeHtml(idOf(tag))}">${escapeHtml(titleOf(tag))}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
  ${pageHead}
  <title>REST API</title>
  <style>${style}</style>
</head>
<body>
<header>${brandLink}<nav aria-label="Other pages"><a href="/docs/">Documentation</a><a href="/">Console</a></nav></header>
<div class="columns">
<nav class="contents" aria-label="Groups of routes"><ul>${contents.join("")}</ul></nav>
<main>
<h1>REST API</h1>
<p class="lead">Every route with its parameters and responses. Machines read the same as <a href="/api/v2/openapi.json">OpenAPI 3.1</a>,
and <a href="/docs/interface/rest">the documentation</a> has what all routes share.</p>
<p><input id="search" type="search" placeholder="Filter by path or words ( / )" aria-label="Filter the routes" hidden></p>
<p id="none" role="status" hidden>No route has these words.</p>
${tags.map(([tag, ofTag]) => sectionHtml(tag, ofTag.map(routeHtml))).join("\n")}
${sectionHtml(
  "schemas",
  schemas.map(([name, schema]) => schemaHtml(name, schema)),
)}
</main>
</div>
<script>${script}</script>
</body>
</html>
`;
}

function sectionHtml(tag: string, entries: readonly string[]): string {
  const id = escapeHtml(idOf(tag));
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(titleOf(tag))}</h2>
${entries.join("\n")}
</section>`;
}

function routeHtml({ method, url, schema, documentation }: RestRoute): string {
  const { operationId, summary, headers = {}, responses } = documentation;
  const rows = [
    ...parameterRows("path", schema.params),
    ...parameterRows("query", schema.query),
    ...Object.entries(headers).map(([name, meaning]) => rowHtml(name, "header", "string", meaning)),
    ...parameterRows("body", schema.body),
  ];
  const parameters =
    rows.length > 0
      ? `<div class="table" tabindex="0"><table><tr><th>Name<th>In<th>Type<th>Meaning</tr>${rows.join("")}</table></div>`
      : `<p class="lead">No parameters.</p>`;
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<p><span class="status" data-class="${escapeHtml(status[0] ?? "")}">${escapeHtml(status)}</span> ${escapeHtml(response.description)}</p>${response.schema ? `<pre tabindex="0">${jsonHtml(response.schema)}</pre>` : ""}`,
  );
  const address = url.replace(/:(\w+)/g, "{$1}");
  const id = escapeHtml(operationId);
  return `<details id="${id}"><summary><span class="method" data-method="${method}">${method}</span> <code>${escapeHtml(address)}</code> <span class="about">${escapeHtml(summary)}</span></summary>
<p><a href="#${id}">Link to this route</a></p>
<h3>Parameters</h3>
${parameters}
<h3>Responses</h3>
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
  return `<details id="${escapeHtml(`schema-${name}`)}"><summary><code>${escapeHtml(name)}</code></summary><pre tabindex="0">${jsonHtml(schema)}</pre></details>`;
}

/** References lead to their schemas. */
function jsonHtml(value: object): string {
  return escapeHtml(JSON.stringify(value, null, 2)).replaceAll(
    /#\/components\/schemas\/(\w+)/g,
    (text, name: string) => `<a href="#schema-${name}">${text}</a>`,
  );
}

function idOf(tag: string): string {
  return `group-${tag.replaceAll(/[^A-Za-z0-9]+/g, "-").toLowerCase()}`;
}

function titleOf(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1);
}

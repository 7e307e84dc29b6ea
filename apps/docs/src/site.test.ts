import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { before, describe, test } from "node:test";
import { type Page, readPages } from "./read-pages.ts";
import { type RenderedPage, renderPage } from "./render-page.ts";

const root = resolve(import.meta.dirname, "../../..");

function siteOf(pages: readonly Page[]) {
  return { pages: new Map(pages.map((page) => [page.file, page])), pictureUrl: (file: string) => `/pictures/${file}` };
}

function rendered(markdown: string): RenderedPage {
  const page = { file: "docs/interface/proxy.md", path: "interface/proxy", title: "Proxy", section: "interface", markdown };
  const other = { ...page, file: "docs/interface/README.md", path: "interface/" };
  return renderPage(page, siteOf([page, other]));
}

describe("the documentation of the repository", () => {
  let pages: readonly Page[];
  before(() => {
    pages = readPages(root);
  });

  test("has every page of docs", () => {
    const files = new Set(pages.map(({ file }) => file));
    const unlinked = globSync("docs/**/*.md", { cwd: root }).filter(
      (file) => !files.has(file) && file !== "docs/adr/template.md",
    );
    assert.deepEqual(unlinked, []);
  });

  test("every link leads to a page and to one of its headings", () => {
    const site = siteOf(pages);
    const shown = new Map(pages.map((page) => [`/docs/${page.path}`, renderPage(page, site)]));
    const broken = [...shown].flatMap(([from, { html }]) =>
      [...html.matchAll(/<a href="((?:\/docs\/|#)[^"]*)"/g)].flatMap(([, href = ""]) => {
        const [path, anchor] = href.startsWith("#") ? [from, href.slice(1)] : href.split("#");
        const target = shown.get(path ?? "");
        const isThere = target && (anchor === undefined || target.html.includes(` id="${anchor}"`));
        return isThere ? [] : [`${from}: ${href}`];
      }),
    );
    assert.deepEqual(broken, []);
  });
});

describe("a page", () => {
  test("links to pages, and names other files of the repository", () => {
    const { html } = rendered(
      "[a](README.md#b), [b](README.md), [c](../../deploy/compose.yaml), [d](https://example.test/x.md)",
    );
    assert.match(html, /<a href="\/docs\/interface\/#b">a<\/a>, <a href="\/docs\/interface\/">b<\/a>/);
    assert.match(html, /<a class="source" title="deploy\/compose.yaml in the repository">c<\/a>/);
    assert.match(html, /<a href="https:\/\/example.test\/x.md">d<\/a>/);
  });

  test("gives headings the anchors of code hosts, and its words to the search", () => {
    const { html, sections } = rendered(
      "# Title\n\nFirst *words*.\n\n## `a.b`: c, d\n\nMore\nwords.\n\n```sh\nls\n```\n\n## C\n\n## C\n",
    );
    assert.match(html, /<h2 id="ab-c-d"><code>a.b<\/code>: c, d<a class="anchor" href="#ab-c-d"/);
    assert.deepEqual(
      sections.map(({ title, anchor, text }) => [title, anchor, text]),
      [
        ["Title", undefined, "First words."],
        ["a.b: c, d", "ab-c-d", "More words."],
        ["C", "c", ""],
        ["C", "c-1", ""],
      ],
    );
  });

  test("colours code, and shows its pictures", () => {
    const { html, pictures } = rendered('```json\n{ "a": 1 }\n```\n\n```other\na < b\n```\n\n![text](../images/a.png)');
    assert.match(html, /<span class="hljs-attr">&quot;a&quot;<\/span>/);
    assert.match(html, /<pre tabindex="0"><code class="language-other">a &lt; b/);
    assert.match(html, /<img src="\/pictures\/docs\/images\/a.png" alt="text">/);
    assert.deepEqual(pictures, ["docs/images/a.png"]);
  });
});

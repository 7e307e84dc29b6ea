// `node write-site.ts <folder>`: writes the pages of the documentation into the folder in which Vite built their template.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Page, readPages } from "./read-pages.ts";
import { type RenderedPage, renderPage, type Section } from "./render-page.ts";

const root = resolve(import.meta.dirname, "../../..");
const [folder = ""] = process.argv.slice(2);
const template = readFileSync(join(folder, "index.html"), "utf8");
const pages = readPages(root);
const site = { pages: new Map(pages.map((page) => [page.file, page])), pictureUrl };
const rendered = pages.map((page) => ({ page, ...renderPage(page, site) }));
const search = writeSearch();

for (const { page, html, sections, pictures } of rendered) {
  for (const picture of pictures) cpSync(join(root, picture), join(folder, "assets", pictureName(picture)));
  const filled = fill({
    title: escapeText(page.title),
    search,
    content: html,
    contents: contentsOf(sections),
    navigation: navigationOf(page),
  });
  const file = join(folder, fileOf(page));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.html`, filled);
  // For language models: their links lead to the other files, as in the repository.
  writeFileSync(`${file}.md`, page.markdown);
}
writeFileSync(join(folder, "llms.txt"), listForModels());

function fileOf({ path }: Page): string {
  return path === "" || path.endsWith("/") ? `${path}index` : path;
}

/** Returns the list of pages that llmstxt.org describes. */
function listForModels(): string {
  const lines = (section: string | undefined) =>
    pages.filter((page) => page.section === section).map((page) => `- [${page.title}](/docs/${fileOf(page)}.md)`);
  const sections = [...new Set(pages.map(({ section }) => section))];
  const groups = sections.map((section) => [`## ${section ?? "General"}`, "", ...lines(section), ""].join("\n"));
  return `# Appserver\n\n> An application platform: it registers, installs and runs apps, and connects language models to them at /mcp.\n\n${groups.join("\n")}`;
}

function fill(parts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? "");
}

/** Writes what the search reads, under a name that changes with it. Returns its address. */
function writeSearch(): string {
  const all = rendered.flatMap(({ page, sections }) => sections.map((section) => entryOf(page, section)));
  const text = JSON.stringify(all.map((entry, id) => ({ id, ...entry })));
  const name = `search-${createHash("sha256").update(text).digest("hex").slice(0, 8)}.json`;
  writeFileSync(join(folder, "assets", name), text);
  return `/docs/assets/${name}`;
}

function entryOf(page: Page, { title, anchor, text }: Section) {
  return { path: `/docs/${page.path}${anchor === undefined ? "" : `#${anchor}`}`, page: page.title, title, text };
}

/** Of a page: its chapters. Nothing for a page with less than two. */
function contentsOf(sections: RenderedPage["sections"]): string {
  const chapters = sections.filter(({ level }) => level === 2);
  if (chapters.length < 2) return "";
  const items = chapters.map(({ title, anchor = "" }) => `<li><a href="#${anchor}">${escapeText(title)}</a></li>`);
  return `<h2>On this page</h2><ul>${items.join("")}</ul>`;
}

/** The pages below `docs` by their folders. Those of other folders are open when one of their pages is shown. */
function navigationOf(shown: Page): string {
  const own = pages.filter(({ file }) => file.startsWith("docs/"));
  const sections = [...new Set(own.flatMap(({ section }) => section ?? []))];
  const groups = sections.map((section) => {
    const listed = own.filter((page) => page.section === section);
    const first = listed.find(({ path }) => path === `${section}/`);
    const name = first?.title ?? section.charAt(0).toUpperCase() + section.slice(1);
    const items = listed.map((page) => itemOf(page, shown)).join("");
    return `<details${shown.section === section ? " open" : ""}><summary>${escapeText(name)}</summary><ul>${items}</ul></details>`;
  });
  const single = own.filter(({ section }) => section === undefined).map((page) => itemOf(page, shown));
  return `<ul>${single.join("")}</ul>${groups.join("")}`;
}

function itemOf(page: Page, shown: Page): string {
  const current = page === shown ? ' aria-current="page"' : "";
  return `<li><a href="/docs/${page.path}"${current}>${escapeText(page.title)}</a></li>`;
}

function pictureUrl(file: string): string {
  return `/docs/assets/${pictureName(file)}`;
}

function pictureName(file: string): string {
  const hash = createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex")
    .slice(0, 8);
  return `${hash}-${basename(file)}`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

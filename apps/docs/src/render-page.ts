import { posix } from "node:path";
import GithubSlugger from "github-slugger";
import highlight from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import graphql from "highlight.js/lib/languages/graphql";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt, { type Token } from "markdown-it";
import { type Page, resolveLink } from "./read-pages.ts";

const languages = {
  bash,
  css,
  graphql,
  http,
  ini,
  javascript,
  json,
  nginx,
  protobuf,
  python,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) highlight.registerLanguage(name, language);

/** A part of a page under its heading. The first one is under the title. */
export interface Section {
  readonly title: string;
  /** Undefined for the first one. */
  readonly anchor: string | undefined;
  /** 1 for the title. */
  readonly level: number;
  /** Its words, without marks and code blocks. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly Section[];
  /** Pictures that the page shows, as files of the repository. */
  readonly pictures: readonly string[];
}

/** Where a link of a page leads. */
export interface Site {
  /** The pages by their files. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Returns the address of a picture of the repository. */
  readonly pictureUrl: (file: string) => string;
}

/** Renders the Markdown of a page. Headings have the anchors that code hosts give them. */
export function renderPage(page: Page, site: Site): RenderedPage {
  const markdown = new MarkdownIt({ html: true, highlight: colour });
  const tokens = markdown.parse(page.markdown.replaceAll(/<!--.*?-->/gs, ""), {});
  const sections = addAnchors(tokens);
  const pictures: string[] = [];
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === "link_open") setLink(token, page, site);
    if (token.type === "image") pictures.push(setPicture(token, page, site));
  }
  // What is wider than the page scrolls by itself, also with the keyboard.
  for (const rule of ["fence", "code_block"]) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...args) => render?.(...args).replace("<pre", '<pre tabindex="0"') ?? "";
  }
  markdown.renderer.rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
  markdown.renderer.rules["table_close"] = () => "</table></div>";
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections, pictures };
}

function colour(code: string, language: string): string {
  const name =
    { sh: "bash", js: "javascript", ts: "typescript", html: "xml", proto: "protobuf", toml: "ini" }[language] ?? language;
  return highlight.getLanguage(name) ? highlight.highlight(code, { language: name }).value : "";
}

function addAnchors(tokens: Token[]): readonly Section[] {
  const slugger = new GithubSlugger();
  const sections: { title: string; anchor: string | undefined; level: number; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1];
    if (token.type === "heading_open" && content) {
      const title = plainText(content);
      const level = Number(token.tag.slice(1));
      const anchor = slugger.slug(title);
      token.attrSet("id", anchor);
      if (level > 1) content.children?.push(...anchorLink(anchor, title));
      sections.push({ title, anchor: level > 1 ? anchor : undefined, level, text: "" });
    } else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section) section.text += `${section.text === "" ? "" : " "}${plainText(token)}`;
    }
  }
  return sections;
}

function plainText({ children }: Token): string {
  return (children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

function anchorLink(anchor: string, title: string): Token[] {
  const [paragraph] = new MarkdownIt({ html: true }).parseInline(
    `<a class="anchor" href="#${anchor}" aria-label="${new MarkdownIt().utils.escapeHtml(`Link to ${title}`)}">#</a>`,
    {},
  );
  return paragraph?.children ?? [];
}

/** A file that is no page has no address here: its path is shown when the pointer rests on the link's text. */
function setLink(token: Token, page: Page, { pages }: Site): void {
  const href = String(token.attrGet("href"));
  if (/^([a-z]+:|#|\/)/.test(href)) return;
  const [target = "", anchor] = href.split("#");
  const file = resolveLink(page, decodeURI(target));
  const linked = pages.get(file) ?? pages.get(posix.join(file, "README.md"));
  if (linked) {
    token.attrSet("href", `/docs/${linked.path}${anchor === undefined ? "" : `#${anchor}`}`);
    return;
  }
  token.attrs = [
    ["class", "source"],
    ["title", `${file} in the repository`],
  ];
}

function setPicture(token: Token, page: Page, { pictureUrl }: Site): string {
  const file = resolveLink(page, String(token.attrGet("src")));
  token.attrSet("src", pictureUrl(file));
  return file;
}

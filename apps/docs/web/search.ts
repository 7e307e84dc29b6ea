// The search of the site: sections of pages by their words, found in the browser.
import MiniSearch from "minisearch";

/** A section of a page, as `src/write-site.ts` writes it. */
interface Section {
  readonly id: number;
  /** `/docs/interface/proxy#rate-limits` */
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const maxResults = 12;
const input = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLElement>("#results");
let loading: Promise<(text: string) => readonly Section[]> | undefined;
let chosen = -1;

if (input && list) {
  input.addEventListener("focus", () => void load());
  input.addEventListener("input", () => void show(input, list));
  input.addEventListener("keydown", (event) => onKey(event, input, list));
  input.addEventListener("blur", () => close(input, list));
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null;
    open(option);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea") !== null;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** Returns the search. Loads its sections when it is called first, and again if that failed. */
function load(): Promise<(text: string) => readonly Section[]> {
  loading ??= index().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function index(): Promise<(text: string) => readonly Section[]> {
  const response = await fetch(document.documentElement.dataset["search"] ?? "");
  if (!response.ok) throw new Error(`the search responded with ${response.status}`);
  const sections = (await response.json()) as readonly Section[];
  const search = new MiniSearch<Section>({
    fields: ["title", "page", "text"],
    // Names such as `ui.route_base` are found by their parts, too.
    tokenize: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 0.2 : 0),
      combineWith: "AND",
    },
  });
  search.addAll(sections);
  return (text) => search.search(text).flatMap(({ id }) => sections[id as number] ?? []);
}

async function show(input: HTMLInputElement, list: HTMLElement): Promise<void> {
  const text = input.value.trim();
  if (text === "") return close(input, list);
  let found: readonly Section[] | undefined;
  try {
    found = (await load())(text).slice(0, maxResults);
  } catch {
    // Said below.
  }
  // The text has changed in the time.
  if (text !== input.value.trim()) return;
  chosen = -1;
  input.removeAttribute("aria-activedescendant");
  list.replaceChildren(...(found?.length ? found.map((section, index) => optionOf(section, index, text)) : [note(found)]));
  list.hidden = false;
  input.setAttribute("aria-expanded", "true");
}

function note(found: readonly Section[] | undefined): HTMLElement {
  const item = element("div", found ? "No section has these words." : "The search could not be loaded.");
  item.setAttribute("role", "option");
  item.setAttribute("aria-disabled", "true");
  return item;
}

function optionOf({ path, page, title, text }: Section, index: number, sought: string): HTMLElement {
  const item = element("div");
  item.id = `result-${index}`;
  item.setAttribute("role", "option");
  item.dataset["path"] = path;
  const of = element("span", title === page ? "" : ` ${page}`);
  of.className = "of";
  const line = element("span", excerpt(text, sought));
  line.className = "line";
  item.append(title, of, line);
  return item;
}

/** Returns the text from shortly before the first of the words. */
function excerpt(text: string, sought: string): string {
  const [first = ""] = sought.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const at = text.toLowerCase().indexOf(first);
  const from = at < 40 ? 0 : text.indexOf(" ", at - 40) + 1;
  return (from > 0 ? "… " : "") + text.slice(from, from + 160);
}

function onKey(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const options = [...list.querySelectorAll<HTMLElement>("[data-path]")];
  if (event.key === "Escape") close(input, list);
  else if (event.key === "Enter") open(options[Math.max(chosen, 0)]);
  else if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else return;
  event.preventDefault();

  function choose(index: number): void {
    if (options.length === 0) return;
    chosen = (index + options.length) % options.length;
    for (const [position, option] of options.entries()) option.setAttribute("aria-selected", String(position === chosen));
    const option = options[chosen];
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  }
}

function open(option: HTMLElement | null | undefined): void {
  const path = option?.dataset["path"];
  if (path !== undefined) location.assign(path);
}

function close(input: HTMLInputElement, list: HTMLElement): void {
  chosen = -1;
  list.hidden = true;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function element<Name extends "div" | "span">(name: Name, text = ""): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

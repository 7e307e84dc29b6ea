// The page of the board: a custom element without a framework and without a build. The shell sets its property `page`
// (docs/interface/console.md#page-contract) before it adds the element to the document.

import { styles } from "./board-styles.js";
import { CardView } from "./card-view.js";
import { columns } from "./columns.js";
import { element } from "./element.js";

/** Those who lack it see the cards. The platform refuses their changes, whatever the page shows. */
const writePermission = "board:write";
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

class Board extends HTMLElement {
  #views = new Map();
  #lists = new Map();
  #status = element("p", { className: "small dim", role: "status" }, "Loading…");
  #closed = new AbortController();
  /** The newest revision that is shown. */
  #revision;

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styles];
    this.#closed = new AbortController();
    this.#showTheme(this.page.theme);
    const unwatch = this.page.onThemeChange((theme) => this.#showTheme(theme));
    this.#closed.signal.addEventListener("abort", unwatch);
    root.replaceChildren(
      element("link", { rel: "stylesheet", href: "/sdk/app.css" }),
      element(
        "main",
        { className: "app" },
        element("header", { className: "row" }, element("h1", {}, "Board"), this.#status),
        element("div", { className: "grid" }, ...columns.map((column) => this.#column(column))),
      ),
    );
    void this.#follow(this.#closed.signal);
  }

  disconnectedCallback() {
    this.#closed.abort();
  }

  #showTheme(theme) {
    this.style.colorScheme = theme;
  }

  #column({ name, title }) {
    const list = element("ul", { className: "stack", "aria-labelledby": `column-${name}` });
    this.#lists.set(name, list);
    const section = element("section", { className: "column" }, element("h2", { id: `column-${name}` }, title), list);
    if (!this.page.can(writePermission)) return section;
    if (name === columns[0].name) section.append(this.#form());
    section.addEventListener("dragover", (event) => event.preventDefault());
    section.addEventListener("drop", (event) => {
      event.preventDefault();
      const id = event.dataTransfer.getData("text/plain");
      if (this.#views.has(id)) void this.#send("PUT", `/cards/${id}`, { column: name });
    });
    return section;
  }

  #form() {
    const field = element("input", { name: "text", maxLength: 500, "aria-label": "New card", placeholder: "What is to do?" });
    const form = element("form", { className: "row" }, field, element("button", { type: "submit" }, "Add"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim() === "") return;
      void this.#send("POST", "/cards", { text: field.value }).then((isSaved) => {
        if (isSaved) field.value = "";
      });
    });
    return form;
  }

  /** Shows the cards, and shows them again after each change, whoever made it, until the page is removed. */
  async #follow(signal) {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const query = this.#revision === undefined ? "" : `?after=${this.#revision}`;
        this.#show(await this.#answer(this.page.fetch(`/cards${query}`, { signal })));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#status.textContent = `${error.message} Trying again.`;
        await pause(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), signal);
        failures += 1;
      }
    }
  }

  #show({ revision, cards }) {
    this.#revision = revision;
    this.#status.textContent = cards.length === 1 ? "1 card" : `${cards.length} cards`;
    const gone = new Set(this.#views.keys());
    for (const card of cards) {
      gone.delete(card.id);
      const view = this.#views.get(card.id) ?? this.#added(card.id);
      view.show(card);
      const list = this.#lists.get(card.column);
      if (view.element.parentElement !== list) view.moveTo(list);
    }
    for (const id of gone) {
      this.#views.get(id).element.remove();
      this.#views.delete(id);
    }
  }

  #added(id) {
    const view = new CardView({
      mayChange: this.page.can(writePermission),
      onChange: (change) => this.#send("PUT", `/cards/${id}`, change),
      onRemove: () => this.#send("DELETE", `/cards/${id}`),
    });
    this.#views.set(id, view);
    return view;
  }

  /** Sends a change, which {@link #follow} then shows. Returns whether it was made; otherwise the viewer was told why not. */
  async #send(method, path, body) {
    try {
      const headers = { "content-type": "application/json" };
      const request = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
      await this.#answer(this.page.fetch(path, request));
      return true;
    } catch (error) {
      this.page.notify(error.message, "error");
      return false;
    }
  }

  async #answer(request) {
    const response = await request.catch((error) => {
      if (error.name === "AbortError") throw error;
      throw new Error("The server is unreachable.");
    });
    if (response.status === 204) return undefined;
    if (response.ok) return response.json();
    if (response.status === 401) throw new Error("Sign in to use the board.");
    if (response.status === 403) throw new Error("You are not allowed to do that on the board.");
    const { error } = await response.json().catch(() => ({}));
    throw new Error(error ?? `The board responded with ${response.status}.`);
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

if (!customElements.get("com-example-board")) customElements.define("com-example-board", Board);

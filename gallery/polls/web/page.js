import { call } from "./api.js";
import { element } from "./element.js";
import { pollDetail } from "./poll-detail.js";
import { pollForm } from "./poll-form.js";
import { pollList } from "./poll-list.js";

/** The page of the app. The console sets its property `page`, the page contract, before it adds the element to the document. */
class Page extends HTMLElement {
  #content = element("main", { className: "app stack" });
  #ends = [];

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const showTheme = (theme) => (this.style.colorScheme = theme);
    showTheme(this.page.theme);
    // The look that the platform gives to pages of apps: it is for what is in an element of the class `app`.
    root.replaceChildren(element("link", { rel: "stylesheet", href: "/sdk/app.css" }), this.#content);
    this.#ends = [this.page.onThemeChange(showTheme), this.page.onPathChange(() => this.#show())];
    this.#show();
  }

  disconnectedCallback() {
    for (const end of this.#ends) end();
  }

  /** The path of the page is the browser's address below /polls, so that each view has an address of its own. */
  #show() {
    const [, first = ""] = /^\/([^/?#]*)/.exec(this.page.path) ?? [];
    if (first === "") return this.#load("/polls", ({ polls }) => pollList(this.page, polls));
    if (first === "new") return this.#content.replaceChildren(pollForm(this.page));
    const path = `/polls/${encodeURIComponent(first)}`;
    const show = (poll) => pollDetail(this.page, path, poll, (changed) => this.#content.replaceChildren(show(changed)));
    return this.#load(path, show);
  }

  async #load(path, view) {
    const shown = this.page.path;
    let content;
    try {
      this.#content.replaceChildren(element("p", { role: "status" }, "Loading…"));
      content = view(await call(this.page, "GET", path));
    } catch (error) {
      content = element("p", { role: "alert" }, error.message);
    }
    // Another view may have been opened since.
    if (this.page.path === shown) this.#content.replaceChildren(content);
  }
}

customElements.define("com-example-polls", Page);

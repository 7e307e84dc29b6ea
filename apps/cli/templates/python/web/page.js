import { call } from "./api.js";
import { element } from "./element.js";
import { taskDetail } from "./task-detail.js";
import { taskForm } from "./task-form.js";
import { taskList } from "./task-list.js";

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

  /** The path of the page is the browser's address below /__ROUTE__, so that each view has an address of its own. */
  #show() {
    const [, first = ""] = /^\/([^/?#]*)/.exec(this.page.path) ?? [];
    if (first === "") return this.#load("/tasks", ({ tasks }) => taskList(this.page, tasks));
    if (first === "new") return this.#content.replaceChildren(taskForm(this.page));
    const path = `/tasks/${encodeURIComponent(first)}`;
    const show = (task) => taskDetail(this.page, path, task, (changed) => this.#content.replaceChildren(show(changed)));
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

customElements.define("__ELEMENT__", Page);

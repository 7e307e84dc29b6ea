/** The page of the app. The console sets its property `page`, the page contract, before it adds the element to the document. */
class Page extends HTMLElement {
  #unwatch = () => {};

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const showTheme = (theme) => (this.style.colorScheme = theme);
    showTheme(this.page.theme);
    this.#unwatch = this.page.onThemeChange(showTheme);
    const heading = document.createElement("h1");
    heading.textContent = "__TITLE__";
    const answer = document.createElement("p");
    answer.setAttribute("role", "status");
    answer.textContent = "Loading…";
    root.replaceChildren(heading, answer);
    void this.#greet(answer);
  }

  disconnectedCallback() {
    this.#unwatch();
  }

  /** Asks the backend of the app, as the user. */
  async #greet(answer) {
    try {
      const response = await this.page.fetch(`/hello/${encodeURIComponent(this.page.viewer.displayName)}`);
      const { hello, error } = await response.json();
      answer.textContent = response.ok ? `Hello, ${hello}.` : error;
    } catch (error) {
      answer.textContent = String(error);
    }
  }
}

customElements.define("__ELEMENT__", Page);

/** The page of the app. The console sets its property `page`, the page contract, before it adds the element to the document. */
class Page extends HTMLElement {
  #unwatch = () => {};

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const showTheme = (theme) => (this.style.colorScheme = theme);
    showTheme(this.page.theme);
    this.#unwatch = this.page.onThemeChange(showTheme);
    // The look that the platform gives to pages of apps: it is for what is in an element of the class `app`.
    const look = document.createElement("link");
    look.rel = "stylesheet";
    look.href = "/sdk/app.css";
    const content = document.createElement("div");
    content.className = "app";
    const heading = document.createElement("h1");
    heading.textContent = "__TITLE__";
    const answer = document.createElement("p");
    answer.setAttribute("role", "status");
    answer.textContent = "Loading…";
    content.append(heading, answer);
    root.replaceChildren(look, content);
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

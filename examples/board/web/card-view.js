import { columns } from "./columns.js";
import { element } from "./element.js";

/** One card. It can be moved with the mouse, with its buttons, and by keyboard. */
export class CardView {
  #card;
  #onChange;
  #text = element("p", { className: "text" });
  #author = element("span", { className: "small dim" });
  #back = element("button", { type: "button" }, "←");
  #on = element("button", { type: "button" }, "→");
  #edit = element("button", { type: "button" }, "Edit");
  #remove = element("button", { type: "button" }, "Delete");
  #buttons = element("div", { className: "buttons row" }, this.#back, this.#on, this.#edit, this.#remove);
  element = element("li", { className: "card" }, this.#text, this.#author, this.#buttons);

  constructor({ mayChange, onChange, onRemove }) {
    this.#onChange = onChange;
    this.element.draggable = mayChange;
    this.#buttons.hidden = !mayChange;
    this.#back.addEventListener("click", () => this.#move(-1));
    this.#on.addEventListener("click", () => this.#move(1));
    this.#edit.addEventListener("click", () => this.#openEditor());
    this.#remove.addEventListener("click", () => void onRemove());
    this.element.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", this.#card.id));
  }

  show(card) {
    this.#card = card;
    this.#text.textContent = card.text;
    this.#author.textContent = `${card.noteId ? "note of " : ""}${card.createdByName ?? card.createdBy.replace(/^(user|app):/, "")}`;
    const position = columns.findIndex(({ name }) => name === card.column);
    for (const [button, target] of [
      [this.#back, columns[position - 1]],
      [this.#on, columns[position + 1]],
    ]) {
      button.hidden = target === undefined;
      if (target) button.setAttribute("aria-label", `Move to ${target.title}: ${card.text}`);
    }
    this.#edit.setAttribute("aria-label", `Edit: ${card.text}`);
    this.#remove.setAttribute("aria-label", `Delete: ${card.text}`);
  }

  /** Puts the card at the end of a list. A moved element loses its focus, so the focus is set again. */
  moveTo(list) {
    const root = this.element.getRootNode();
    const focused = root instanceof ShadowRoot && this.element.contains(root.activeElement) ? root.activeElement : undefined;
    list.append(this.element);
    if (focused) (focused.hidden ? this.#edit : focused).focus();
  }

  #move(by) {
    const position = columns.findIndex(({ name }) => name === this.#card.column);
    void this.#onChange({ column: columns[position + by].name });
  }

  #openEditor() {
    const field = element("textarea", { maxLength: 500, rows: 3, value: this.#card.text, "aria-label": "Text of the card" });
    const cancel = element("button", { type: "button" }, "Cancel");
    const form = element(
      "form",
      { className: "editor row" },
      field,
      element("button", { type: "submit", className: "primary" }, "Save"),
      cancel,
    );
    const close = () => {
      form.replaceWith(this.#text);
      this.#buttons.hidden = false;
      this.#edit.focus();
    };
    cancel.addEventListener("click", close);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#onChange({ text: field.value }).then((isSaved) => {
        if (isSaved) close();
      });
    });
    this.#text.replaceWith(form);
    this.#buttons.hidden = true;
    field.focus();
  }
}

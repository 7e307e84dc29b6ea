/** Makes an element with attributes, listeners (`onclick`), and children. Texts are shown as they are, never as HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (key === "className") made.className = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** A link to another view of the page: without a load of the document, and with an address that can be opened in a tab. */
export function pageLink(page, to, text, attributes = {}) {
  const follow = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    page.navigate(to);
  };
  return element("a", { href: page.basePath + to, onclick: follow, ...attributes }, text);
}

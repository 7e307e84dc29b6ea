/** Creates an element. Names with a hyphen and `role` are attributes, all others are properties. */
export function element(tag, properties, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") created.setAttribute(name, value);
    else created[name] = value;
  }
  created.append(...children);
  return created;
}

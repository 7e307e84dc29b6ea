import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from "graphql";

const maxFound = 40;

/** Shows the documentation of a schema: the types, their fields, and a search. */
export class SchemaView {
  readonly #element: HTMLElement;
  #schema: GraphQLSchema | undefined;
  #path: string[] = [];

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  use(schema: GraphQLSchema): void {
    this.#schema = schema;
    this.#render();
  }

  fail(reason: string): void {
    this.#element.replaceChildren(text("p", `The schema could not be read: ${reason}`));
  }

  /** Shows a type, and moves one of its fields into sight. */
  show(name: string, field?: string): void {
    if (this.#path.at(-1) !== name) this.#path = [...this.#path, name].slice(-20);
    this.#render();
    const shown =
      field && [...this.#element.querySelectorAll("[data-field]")].find((each) => each.getAttribute("data-field") === field);
    if (shown) shown.scrollIntoView({ block: "center" });
    else this.#element.scrollTop = 0;
  }

  #back(): void {
    this.#path = this.#path.slice(0, -1);
    this.#render();
  }

  #render(): void {
    const schema = this.#schema;
    if (!schema) {
      this.#element.replaceChildren(text("p", "The schema is being read."));
      return;
    }
    const type = schema.getType(this.#path.at(-1) ?? "");
    this.#element.replaceChildren(...(type ? this.#typePage(type, schema) : this.#rootPage(schema)));
  }

  #rootPage(schema: GraphQLSchema): readonly Node[] {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
      (each) => each != null,
    );
    const list = element("ul");
    list.append(...roots.map((type) => this.#entry(type.name, [this.#link(type)], type.description)));
    return [this.#search(schema, list), text("h2", "Schema"), list];
  }

  #search(schema: GraphQLSchema, list: HTMLElement): HTMLElement {
    const input = element("input");
    input.type = "search";
    input.placeholder = "Search types and fields";
    input.setAttribute("aria-label", "Search the schema");
    const all = entriesOf(schema);
    const initial = [...list.childNodes];
    input.addEventListener("input", () => {
      const sought = input.value.trim().toLowerCase();
      if (sought === "") {
        list.replaceChildren(...initial);
        return;
      }
      const found = all.filter(({ name }) => name.toLowerCase().includes(sought)).slice(0, maxFound);
      const items = found.map(({ name, type, field, description }) => {
        const button = linkTo(name, () => this.show(type, field));
        return this.#entry(name, [button], description);
      });
      list.replaceChildren(...(items.length > 0 ? items : [text("li", "Nothing has this name.")]));
    });
    return input;
  }

  #typePage(type: GraphQLNamedType, schema: GraphQLSchema): readonly Node[] {
    const back = element("button", this.#path.length > 1 ? `Back to ${this.#path.at(-2)}` : "Back to the schema");
    back.type = "button";
    back.addEventListener("click", () => this.#back());
    const path = element("div");
    path.className = "path";
    path.append(back);
    const nodes: Node[] = [path, text("h2", type.name)];
    if (type.description) nodes.push(text("p", type.description));
    if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) nodes.push(...this.#fields(type));
    if (isEnumType(type)) {
      const list = element("ul");
      list.append(...type.getValues().map(({ name, description }) => this.#entry(name, [name], description)));
      nodes.push(text("h3", "Values"), list);
    }
    if (isUnionType(type) || isInterfaceType(type)) {
      const list = element("ul");
      list.append(...schema.getPossibleTypes(type).map((each) => this.#entry(each.name, [this.#link(each)], each.description)));
      nodes.push(text("h3", "Types"), list);
    }
    return nodes;
  }

  #fields(type: Extract<GraphQLNamedType, { getFields(): unknown }>): readonly Node[] {
    const list = element("ul");
    for (const field of Object.values(type.getFields())) {
      const parameters: readonly GraphQLArgument[] = "args" in field ? field.args : [];
      const inner = parameters.flatMap((each, index) => [index > 0 ? ", " : "", `${each.name}: `, this.#link(each.type)]);
      const signature = [field.name, ...(inner.length > 0 ? ["(", ...inner, ")"] : []), ": ", this.#link(field.type)];
      list.append(this.#entry(field.name, signature, field.description));
    }
    return [text("h3", "Fields"), list];
  }

  #entry(name: string, signature: readonly (string | Node)[], description: string | null | undefined): HTMLElement {
    const item = element("li");
    item.setAttribute("data-field", name);
    const code = element("code");
    code.append(...signature);
    item.append(code);
    if (description) item.append(text("p", description));
    return item;
  }

  #link(type: GraphQLType): HTMLElement {
    return linkTo(String(type), () => this.show(getNamedType(type).name));
  }
}

interface SchemaEntry {
  readonly name: string;
  readonly type: string;
  readonly field?: string;
  readonly description: string | null | undefined;
}

function entriesOf(schema: GraphQLSchema): readonly SchemaEntry[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith("__"))
    .flatMap((type): SchemaEntry[] => {
      const own = { name: type.name, type: type.name, description: type.description };
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [own];
      const fields = Object.values(type.getFields()).map(({ name, description }) => ({
        name: `${type.name}.${name}`,
        type: type.name,
        field: name,
        description,
      }));
      return [own, ...fields];
    });
}

function linkTo(name: string, onClick: () => void): HTMLElement {
  const button = element("button", name);
  button.type = "button";
  button.className = "type";
  button.addEventListener("click", onClick);
  return button;
}

function text(name: keyof HTMLElementTagNameMap, content: string): HTMLElement {
  return element(name, content);
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, content = ""): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}

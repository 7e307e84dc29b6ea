import { invalidField } from "./app-error.ts";

/**
 * Sizes of list pages (docs/interface/graphql.md#connections). Paging goes forward only: each page starts after the cursor where the
 * previous one ended.
 */
const sizes = { default: 50, most: 250 } as const;

/** Returns the size of a page: 1 to 250, default 50. Throws INVALID_REQUEST for anything else. */
export function pageSize(first: number | null | undefined, ifNone: number = sizes.default): number {
  const size = first ?? ifNone;
  if (Number.isInteger(size) && size >= 1 && size <= sizes.most) return size;
  throw invalidField("first", `must be 1 to ${sizes.most}, got ${size}`);
}

/** Cursors for one kind of list, opaque to clients. A key identifies the position of an item. */
export class Cursors {
  readonly #prefix: string;
  readonly #isKey: (text: string) => boolean;

  /** `kind` makes cursors of other lists invalid here. */
  constructor(kind: string, isKey: (text: string) => boolean) {
    this.#prefix = `${kind}:`;
    this.#isKey = isKey;
  }

  of(key: string): string {
    return Buffer.from(this.#prefix + key).toString("base64url");
  }

  /**
   * Returns the key in a cursor. Undefined for no cursor or "", the beginning of the list. Throws INVALID_REQUEST for an
   * invalid cursor, and for U+0000, which PostgreSQL refuses.
   */
  read(after: string | null | undefined): string | undefined {
    if (after == null || after === "") return undefined;
    const text = Buffer.from(after, "base64url").toString();
    const key = text.slice(this.#prefix.length);
    if (text.startsWith(this.#prefix) && !key.includes("\0") && this.#isKey(key)) return key;
    throw invalidField("after", "must be an endCursor of this list");
  }
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/** Returns the page at the start of `items`. The caller reads one item more than `size`, which shows whether more follow. */
export function pageOf<Item>(items: readonly Item[], size: number): Page<Item> {
  return { items: items.slice(0, size), hasNext: items.length > size };
}

/** An item of a connection. Its cursor is computed when it is asked for. */
class Edge<Item, Node> {
  readonly node: Node;
  readonly #item: Item;
  readonly #cursorOf: (item: Item) => string;

  constructor(item: Item, { cursor, node }: { cursor(item: Item): string; node(item: Item): Node }) {
    this.#item = item;
    this.#cursorOf = cursor;
    this.node = node(item);
  }

  get cursor(): string {
    return this.#cursorOf(this.#item);
  }
}

/** Returns a page as a GraphQL connection, without its `totalCount`. `after` is the argument of the query. */
export function connectionOf<Item, Node>(
  page: Page<Item>,
  after: string | null | undefined,
  present: { cursor(item: Item): string; node(item: Item): Node },
) {
  const edges = page.items.map((item) => new Edge(item, present));
  const pageInfo = {
    hasNextPage: page.hasNext,
    hasPreviousPage: (after ?? "") !== "",
    get startCursor() {
      return edges[0]?.cursor ?? null;
    },
    get endCursor() {
      return edges.at(-1)?.cursor ?? null;
    },
  };
  return { edges, pageInfo };
}

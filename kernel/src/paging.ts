import { invalidField } from "./app-error.ts";

/**
 * Lists in pages (docs/interface/graphql.md#connections, docs/interface/grpc.md#pages): forwards only, each page starts after
 * the cursor where the previous one ended.
 */
const sizes = { default: 50, most: 250 } as const;

/** How many a page has: 1 to 250, default 50. INVALID_REQUEST for anything else. */
export function pageSize(first: number | null | undefined, ifNone: number = sizes.default): number {
  const size = first ?? ifNone;
  if (Number.isInteger(size) && size >= 1 && size <= sizes.most) return size;
  throw invalidField("first", `must be 1 to ${sizes.most}, got ${size}`);
}

/** Positions in one kind of list, opaque to clients. A key says where its item stands. */
export class Cursors {
  readonly #prefix: string;
  readonly #isKey: (text: string) => boolean;

  /** `kind` keeps the cursors of one list out of another. */
  constructor(kind: string, isKey: (text: string) => boolean) {
    this.#prefix = `${kind}:`;
    this.#isKey = isKey;
  }

  of(key: string): string {
    return Buffer.from(this.#prefix + key).toString("base64url");
  }

  /** The key in a cursor; undefined for none or "", the beginning of the list. INVALID_REQUEST for what is no cursor of it. */
  read(after: string | null | undefined): string | undefined {
    if (after == null || after === "") return undefined;
    const text = Buffer.from(after, "base64url").toString();
    const key = text.slice(this.#prefix.length);
    if (text.startsWith(this.#prefix) && this.#isKey(key)) return key;
    throw invalidField("after", "must be an endCursor of this list");
  }
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/** The page that `items`, read one more than `size`, begin with: so one knows whether more follow. */
export function pageOf<Item>(items: readonly Item[], size: number): Page<Item> {
  return { items: items.slice(0, size), hasNext: items.length > size };
}

/** The cursor to go on after, or "" at the end (AIP-158 `next_page_token`). */
export function nextPageToken<Item>({ items, hasNext }: Page<Item>, cursorOf: (item: Item) => string): string {
  const last = items.at(-1);
  return hasNext && last !== undefined ? cursorOf(last) : "";
}

/** A page as a connection of GraphQL, without its `totalCount`. `after` is the argument that asked for it. */
export function connectionOf<Item, Node>(
  page: Page<Item>,
  after: string | null | undefined,
  present: { cursor(item: Item): string; node(item: Item): Node },
) {
  const edges = page.items.map((item) => ({ cursor: present.cursor(item), node: present.node(item) }));
  const pageInfo = {
    hasNextPage: page.hasNext,
    hasPreviousPage: (after ?? "") !== "",
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, pageInfo };
}

export interface PageRequest {
  readonly first: number;
  readonly after: string | null | undefined;
}

interface Page<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
}

export interface PagesOptions {
  /** Number of entries to return. */
  readonly limit: number;
  /** Entries of a page. Its cost, which is that of the fields of an entry, must not exceed 1,000 (docs/interface/graphql.md#limits). */
  readonly pageSize: number;
}

/** Returns the first entries of a list, which may be several pages. */
export async function takeFromPages<Node>(
  { limit, pageSize }: PagesOptions,
  read: (request: PageRequest) => Promise<Page<Node>>,
): Promise<readonly Node[]> {
  const nodes: Node[] = [];
  for (let after: string | null | undefined; ; ) {
    const { edges, pageInfo } = await read({ first: Math.min(pageSize, limit - nodes.length), after });
    nodes.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage || nodes.length >= limit) return nodes;
    after = pageInfo.endCursor;
  }
}

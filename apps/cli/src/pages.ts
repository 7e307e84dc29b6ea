/** The largest page of a list (docs/interface/graphql.md#limits). */
const pageSize = 250;

interface PageRequest {
  readonly first: number;
  readonly after: string | null | undefined;
}

interface Page<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
}

/** Returns the first entries of a list, at most `limit`, which may be several pages. */
export async function takeFromPages<Node>(
  limit: number,
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

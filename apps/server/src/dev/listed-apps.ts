/** An app as the first table of `npm start` shows it. */
export interface ListedApp {
  readonly name: string;
  readonly version: string;
  /** A state of GraphQL: `RUNNING`. */
  readonly state: string;
  readonly lastError?: { readonly message: string } | null;
}

interface ListedApps {
  readonly data?: {
    readonly apps: { readonly totalCount: number; readonly edges: readonly { readonly node: ListedApp }[] };
  };
}

const query = "{ apps(first: 50) { totalCount edges { node { name version state lastError { message } } } } }";
const timeoutMs = 10_000;

/** Returns the apps of a development platform that are not uninstalled, and how many more there are than a table shows. */
export async function listApps(httpUrl: string): Promise<{ readonly apps: readonly ListedApp[]; readonly more: number }> {
  const response = await fetch(`${httpUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { data } = (await response.json()) as ListedApps;
  const { edges = [], totalCount = 0 } = data?.apps ?? {};
  const apps = edges.map(({ node }) => node).filter(({ state }) => state !== "UNINSTALLED");
  return { apps, more: totalCount - edges.length };
}

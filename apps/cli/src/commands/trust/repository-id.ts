import { UsageError } from "../../usage-error.ts";

const timeoutMs = 10_000;
const githubIssuerPath = "/_services/token";

export interface NamedRepository {
  readonly provider: "github" | "gitlab";
  readonly repository: string;
  readonly issuer?: string | undefined;
}

/**
 * Reads the number of a repository from the API of its provider, without a login. Rejects with {@link UsageError}, which says how to find
 * it, for one that is not public.
 */
export async function readRepositoryId(named: NamedRepository): Promise<string> {
  const { provider, repository } = named;
  const url = apiOf(named);
  const find =
    provider === "github"
      ? `\`gh api repos/${repository} --jq .id\` prints it`
      : `the page of the project shows it, and \`glab api projects/${encodeURIComponent(repository)}\` prints it as id`;
  const refused = (why: string) =>
    new UsageError(`the id of ${repository} could not be read from ${url} (${why}): give --repository-id; ${find}`);
  const response = await fetch(url, {
    headers: { accept: "application/json", "user-agent": "appctl" },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message : String(error));
  });
  if (!response.ok) throw refused(response.status === 404 ? "404: it may be private" : String(response.status));
  const { id } = (await response.json().catch(() => ({}))) as { readonly id?: number };
  if (!Number.isSafeInteger(id)) throw refused("no id");
  return String(id);
}

function apiOf({ provider, repository, issuer }: NamedRepository): string {
  if (provider === "gitlab")
    return `${(issuer ?? "https://gitlab.com").replace(/\/$/, "")}/api/v4/projects/${encodeURIComponent(repository)}`;
  const own = issuer?.endsWith(githubIssuerPath)
    ? `${issuer.slice(0, -githubIssuerPath.length)}/api/v3`
    : "https://api.github.com";
  return `${own}/repos/${repository}`;
}

import type { PipelineProvider } from "@appserver/kernel";

/** What the token of a pipeline must have. */
export interface TokenConditions {
  readonly provider: PipelineProvider;
  /** Exactly `iss`. */
  readonly issuer: string;
  /** The only `aud`. */
  readonly audience: string;
  /** Null for a provider that is not known. */
  readonly repository: string | null;
  readonly repositoryId: string | null;
  /** One below `refs/tags/` may end with `*`. */
  readonly ref: string | null;
  /** Null: the job has none. */
  readonly environment: string | null;
  /** Further claims with their values. */
  readonly claims: Readonly<Record<string, string>>;
}

/** The claims of a token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A condition that a token does not meet. */
export interface Mismatch {
  readonly claim: string;
  /** As the trust has it. */
  readonly expected: string;
  /** As the token has it. */
  readonly got: string;
}

/** The claims that say which repository a token is of. */
export interface RepositoryOfToken {
  readonly repository: string | undefined;
  readonly repositoryId: string | undefined;
}

/**
 * What starts a pipeline that runs the code of the ref that its token names. `pull_request_target` and `workflow_run` carry the ref of the
 * default branch, and often run what a stranger has written; every event that is not here is refused.
 */
const events: Readonly<Record<"github" | "gitlab", ReadonlySet<string>>> = {
  github: new Set(["push", "workflow_dispatch", "schedule", "release", "repository_dispatch", "deployment"]),
  gitlab: new Set(["push", "web", "schedule", "api", "trigger", "pipeline"]),
};
/** The claim with the event. */
const eventClaims = { github: "event_name", gitlab: "pipeline_source" } as const;

/** Returns the repository of a token, by the claims of its provider. */
export function repositoryOf(provider: PipelineProvider, claims: TokenClaims): RepositoryOfToken {
  if (provider === "gitlab") return { repository: textOf(claims["project_path"]), repositoryId: textOf(claims["project_id"]) };
  return { repository: textOf(claims["repository"]), repositoryId: textOf(claims["repository_id"]) };
}

/** Returns every condition that the claims do not meet. The issuer is not compared: it has verified the token. */
export function mismatches(conditions: TokenConditions, claims: TokenClaims): readonly Mismatch[] {
  const { provider, audience } = conditions;
  const found = [
    ...differs("aud", audience, audienceOf(claims)),
    ...(provider === "oidc" ? [] : ofRepository({ ...conditions, provider }, claims)),
    ...Object.entries(conditions.claims).flatMap(([name, value]) => differs(name, value, textOf(claims[name]))),
    ...Object.entries(eventClaims).flatMap(([known, claim]) =>
      ofEvent(known as keyof typeof events, provider, textOf(claims[claim])),
    ),
  ];
  return found;
}

function ofRepository(
  conditions: TokenConditions & { readonly provider: keyof typeof events },
  claims: TokenClaims,
): readonly Mismatch[] {
  const { repository, repositoryId } = repositoryOf(conditions.provider, claims);
  const [name, id] = conditions.provider === "gitlab" ? ["project_path", "project_id"] : ["repository", "repository_id"];
  const ref = refOf(conditions.provider, claims);
  return [
    ...differs(name ?? "", conditions.repository, repository),
    ...differs(id ?? "", conditions.repositoryId, repositoryId),
    ...(isRef(conditions.ref ?? "", ref) ? [] : [{ claim: "ref", expected: conditions.ref ?? "none", got: shown(ref) }]),
    ...differs("environment", conditions.environment, textOf(claims["environment"])),
  ];
}

/** Providers that are not known may have such a claim of another meaning: only one that is refused elsewhere is. */
function ofEvent(known: keyof typeof events, provider: PipelineProvider, event: string | undefined): readonly Mismatch[] {
  const isOf = known === provider;
  if (!isOf && (provider !== "oidc" || event === undefined)) return [];
  if (event !== undefined && events[known].has(event)) return [];
  return [{ claim: eventClaims[known], expected: [...events[known]].join(", "), got: shown(event) }];
}

/** Returns the full name of the ref: `refs/heads/main`. */
function refOf(provider: PipelineProvider, claims: TokenClaims): string | undefined {
  const ref = textOf(claims["ref"]);
  if (provider !== "gitlab") return ref;
  const path = textOf(claims["ref_path"]);
  const kinds: Readonly<Record<string, string>> = { branch: "refs/heads/", tag: "refs/tags/" };
  const kind = kinds[textOf(claims["ref_type"]) ?? ""];
  return path ?? (kind !== undefined && ref !== undefined ? kind + ref : undefined);
}

function isRef(expected: string, got: string | undefined): boolean {
  if (got === undefined) return false;
  return expected.endsWith("*") ? got.startsWith(expected.slice(0, -1)) : got === expected;
}

/** An audience with another one would be a token that others may use as well. */
function audienceOf({ aud }: TokenClaims): string | undefined {
  return Array.isArray(aud) && aud.length === 1 ? textOf(aud[0]) : textOf(aud);
}

function differs(claim: string, expected: string | null, got: string | undefined): readonly Mismatch[] {
  return (expected ?? undefined) === got ? [] : [{ claim, expected: expected ?? "none", got: shown(got) }];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function shown(value: string | undefined): string {
  return boundedText(value) ?? "none";
}

const maxShown = 200;

/** Returns a claim as a short text of one line. Undefined if it is no text. */
export function boundedText(value: unknown): string | undefined {
  const text = textOf(value)
    ?.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .slice(0, maxShown)
    .trim();
  return text === "" ? undefined : text?.toWellFormed();
}

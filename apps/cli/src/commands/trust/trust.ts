import { ask } from "../../client.ts";
import {
  DistrustPipelineDocument,
  type PipelineFragment,
  TrustedPipelinesDocument,
  TrustPipelineDocument,
} from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, print, printJson, printValue } from "../../output.ts";
import { exchangeIdToken } from "../../pipeline-token.ts";
import { renderTable } from "../../table.ts";
import { UsageError } from "../../usage-error.ts";
import { readRepositoryId } from "./repository-id.ts";

export interface TrustFlags {
  readonly account: string;
  readonly app: readonly string[];
  readonly issuer?: string;
  readonly audience?: string;
}

export interface RepositoryFlags extends TrustFlags {
  readonly repository: string;
  readonly repositoryId?: string;
  readonly ref: string;
  readonly environment?: string;
}

export interface ClaimFlags extends TrustFlags {
  readonly issuer: string;
  readonly claim: readonly string[];
}

/** Trusts a pipeline of GitHub or GitLab. */
export async function trustRepository(
  options: GlobalOptions,
  provider: "github" | "gitlab",
  { app: apps, repositoryId: given, ...flags }: RepositoryFlags,
): Promise<void> {
  const { repository, issuer } = flags;
  const repositoryId = given ?? (await readRepositoryId({ provider, repository, issuer }));
  const variables = { ...flags, apps, repositoryId, provider: provider === "github" ? "GITHUB" : "GITLAB" } as const;
  printAdded(options, (await ask(options, TrustPipelineDocument, variables)).trustPipeline);
}

/** Trusts a pipeline of any issuer by its claims. */
export async function trustClaims(options: GlobalOptions, { app: apps, claim, ...flags }: ClaimFlags): Promise<void> {
  const variables = { ...flags, apps, provider: "OIDC", claims: claim.map(claimOf) } as const;
  printAdded(options, (await ask(options, TrustPipelineDocument, variables)).trustPipeline);
}

export async function listTrusted(options: GlobalOptions): Promise<void> {
  const { trustedPipelines } = await ask(options, TrustedPipelinesDocument, {});
  if (options.json) return printJson(trustedPipelines);
  const rows = trustedPipelines.map((each) => [
    each.id,
    each.account,
    each.provider.toLowerCase(),
    conditionsText(each),
    each.apps.join("\n"),
    each.usedAt ?? "never",
  ]);
  const head = ["ID", "ACCOUNT", "PROVIDER", "TOKEN", "APPS", "LAST USED"];
  print(rows.length === 0 ? "no pipeline is trusted" : renderTable(head, rows));
}

export async function removeTrust(options: GlobalOptions, id: string): Promise<void> {
  await ask(options, DistrustPipelineDocument, { id });
  if (options.json) printJson({ id });
  else print(`${id} is not trusted any more, and its tokens have ended`);
}

/** Prints the token for which the platform exchanges the one of the job. */
export async function printExchanged(options: GlobalOptions): Promise<void> {
  const exchanged = await exchangeIdToken(options);
  if (options.json) return printJson(exchanged);
  note(`a token of ${exchanged.expires_in / 60} minutes: it is not shown again`);
  printValue(exchanged.access_token);
}

function printAdded(options: GlobalOptions, pipeline: PipelineFragment): void {
  if (options.json) {
    printJson(pipeline);
    return;
  }
  const { id, account, apps, audience } = pipeline;
  print(
    `${id}: ${account} trusts ${conditionsText(pipeline).replaceAll("\n", ", ")} for ${apps.join(", ")}; audience ${audience}`,
  );
}

function conditionsText({ issuer, repository, repositoryId, ref, environment, claims }: PipelineFragment): string {
  if (repository == null) return [issuer, ...claims.map(({ name, value }) => `${name}=${value}`)].join("\n");
  const where = environment == null ? [] : [`environment ${environment}`];
  return [`${repository} (${repositoryId})`, ref ?? "", ...where].join("\n");
}

function claimOf(text: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  throw new UsageError(`--claim must be name=value, got ${JSON.stringify(text)}`);
}

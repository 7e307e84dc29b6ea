import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { readAgain } from "./access-queries.ts";

export type Account = operations.AccountFragment;
export type AccountToken = operations.AccountTokenFragment;
export type Pipeline = operations.PipelineFragment;
export type Issued = operations.IssuedTokenFragment;

/** What a token allows, and for how long. */
export interface Terms {
  readonly days: number;
  /** Empty: all that the account holds. */
  readonly scopes: readonly string[];
}

export interface Grant {
  readonly relation: string;
  readonly object: string;
}

const dayMs = 86_400_000;

export const serviceAccountsQuery = queryOptions({
  queryKey: ["access", "service-accounts"],
  queryFn: async () => (await send(operations.ServiceAccountsDocument, {})).serviceAccounts,
});

export const trustedPipelinesQuery = queryOptions({
  queryKey: ["access", "trusted-pipelines"],
  queryFn: async () => (await send(operations.TrustedPipelinesDocument, {})).trustedPipelines,
});

export async function distrustPipeline(id: string): Promise<void> {
  await send(operations.DistrustPipelineDocument, { id });
  await readAgain();
}

export async function createAccount(name: string, grants: readonly Grant[], terms: Terms): Promise<Issued> {
  const variables = { name, grants: [...grants], ...variablesOf(terms) };
  const { issued } = await send(operations.CreateServiceAccountDocument, variables);
  await readAgain();
  return issued;
}

export async function createToken(id: string, terms: Terms): Promise<Issued> {
  const { issued } = await send(operations.CreateServiceAccountTokenDocument, { id, ...variablesOf(terms) });
  await readAgain();
  return issued;
}

export async function revokeToken(id: string, tokenId: string): Promise<void> {
  await send(operations.RevokeServiceAccountTokenDocument, { id, tokenId });
  await readAgain();
}

export async function deleteAccount(id: string): Promise<void> {
  await send(operations.DeleteServiceAccountDocument, { id });
  await readAgain();
}

function variablesOf({ days, scopes }: Terms) {
  return { scopes: scopes.length === 0 ? null : [...scopes], expiresAt: new Date(Date.now() + days * dayMs).toISOString() };
}

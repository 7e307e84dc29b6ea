import assert from "node:assert/strict";
import type { PlatformUnderTest } from "./platform-under-test.ts";

interface Needed {
  readonly installPlan: {
    readonly app: { readonly manifestDigest: string };
    readonly approvalsNeeded: readonly { readonly scope: string }[];
  };
}

/**
 * Approves every permission that an installation of the app needs, as the caller of `graphql`. Returns the scopes. Fails if the app is
 * registered again in between, so that no unseen permission is approved.
 */
export async function approvePermissions(
  platform: Pick<PlatformUnderTest, "graphql">,
  name: string,
): Promise<readonly string[]> {
  const plan = "query ($name: String!) { installPlan(name: $name) { app { manifestDigest } approvalsNeeded { scope } } }";
  const { data, errors } = await platform.graphql(plan, { name });
  assert.equal(errors, undefined, JSON.stringify(errors));
  const { app, approvalsNeeded } = (data as Needed).installPlan;
  const scopes = approvalsNeeded.map(({ scope }) => scope);
  if (scopes.length === 0) return scopes;
  const mutation = `mutation ($name: String!, $scopes: [String!]!, $manifestDigest: String) {
    approvePermissions(name: $name, scopes: $scopes, manifestDigest: $manifestDigest) { success }
  }`;
  const approved = await platform.graphql(mutation, { name, scopes, manifestDigest: app.manifestDigest });
  assert.equal(approved.errors, undefined, JSON.stringify(approved.errors));
  return scopes;
}

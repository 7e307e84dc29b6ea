import assert from "node:assert/strict";
import { eventually, type PlatformUnderTest } from "@appserver/testing/kit";

/** A platform, or what asks one as its administrator. */
type Asked = Pick<PlatformUnderTest, "graphql">;

/** Asks GraphQL as the administrator and returns the data. Fails if the response has errors. */
export async function dataOf<T>(platform: Asked, query: string, variables: object = {}): Promise<T> {
  const { data, errors } = await platform.graphql(query, variables);
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data as T;
}

/** Sends one mutation, for example `installApp(name: "com.example.notes") { success }`. */
export function command<T>(platform: Asked, mutation: string): Promise<T> {
  return dataOf<T>(platform, `mutation { ${mutation} }`);
}

/** Switches to another release or deployment, for example with `upgradeApp(name: "…")`, and waits until it has succeeded. */
export async function switchBy(platform: Asked, mutation: string, timeoutMs: number): Promise<void> {
  type Begun = Record<"switch", { readonly operation: { readonly id: string } }>;
  type Seen = Record<"operation", { readonly done: boolean; readonly error: object | null }>;
  const { id } = (await command<Begun>(platform, `switch: ${mutation} { operation { id } }`)).switch.operation;
  const read = () => dataOf<Seen>(platform, "query ($id: ID!) { operation(id: $id) { done error { message } } }", { id });
  const { operation } = await eventually(read, (seen) => seen.operation.done, { timeoutMs, what: mutation });
  assert.equal(operation.error, null);
}

/**
 * Uninstalls an app with its data at the end of a test, if the platform has started and the app is installed, and deletes it from a
 * platform that other files use: a second run of the file brings another key.
 */
export async function purgeApp(platform: PlatformUnderTest | undefined, name: string): Promise<void> {
  if (!platform) return;
  await platform
    .client()
    .marketplace.uninstallApp({ name, purgeData: true })
    .catch(() => {});
  if (platform.variant !== "production") return;
  const remove = async () => (await platform.graphql(`mutation { deleteApp(name: "${name}") { success } }`)).errors ?? [];
  const isGone = (errors: readonly { readonly extensions: { readonly code: string } }[]) =>
    errors.every(({ extensions }) => extensions.code === "NOT_FOUND");
  await eventually(remove, isGone, { timeoutMs: 30_000, what: `${name} is deleted` });
}

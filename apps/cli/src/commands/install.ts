import { command } from "../client.ts";
import { InstallAppDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { printWarnings } from "../output.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";

export interface InstallFlags extends FollowFlags {
  /** Digest of the reviewed plan. */
  readonly plan?: string;
  readonly withoutDependencies: boolean;
}

/** Installs an app, and waits until its container is healthy. */
export async function installApp(
  options: GlobalOptions,
  name: string,
  { plan: planDigest, withoutDependencies, detach }: InstallFlags,
): Promise<void> {
  const variables = { name, withDependencies: !withoutDependencies, planDigest };
  const { operation, warnings } = await command(options, InstallAppDocument, variables);
  printWarnings(warnings);
  await followOperation(options, operation, { done: `${name} ${operation.version} is installed`, detach });
}

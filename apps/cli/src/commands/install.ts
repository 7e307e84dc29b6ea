import type { GlobalOptions } from "../global-options.ts";
import { printWarnings } from "../output.ts";
import { connect } from "../platform.ts";
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
  { plan, withoutDependencies, detach }: InstallFlags,
): Promise<void> {
  const platform = connect(options);
  const { operation, warnings } = await platform.marketplace.installApp({
    name,
    withDependencies: !withoutDependencies,
    ...(plan === undefined ? {} : { planDigest: plan }),
  });
  printWarnings(warnings);
  await followOperation(options, platform, operation, { done: `${name} ${operation?.version ?? ""} is installed`, detach });
}

import type { GlobalOptions } from "../global-options.ts";
import { connect } from "../platform.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";

/** Shows an operation until it ends. Fails with its error. */
export async function showOperation(options: GlobalOptions, id: string, { detach }: FollowFlags): Promise<void> {
  const platform = connect(options);
  const { operation } = await platform.marketplace.getOperation({ id });
  const done = `${operation?.kind} of ${operation?.appName} has ended`;
  await followOperation(options, platform, operation, { done, detach });
}

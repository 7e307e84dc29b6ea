import { AppError, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { onCurrentApp } from "./on-current-app.ts";
import type { CommandResult } from "./operation.ts";
import { requireSwitchable } from "./require-installed.ts";
import { beginRedeployment } from "./switch/index.ts";

export interface RedeployRequest {
  readonly name: string;
  /** Whether to resolve the image's tag again. Otherwise the same image runs. */
  readonly pull: boolean;
}

/** Starts a new deployment of the version that serves, and switches from the old one to it. Throws like an upgrade. */
export async function redeployApp(
  context: MarketplaceContext,
  { name, pull }: RedeployRequest,
  call: Call,
): Promise<CommandResult> {
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, name);
  if (earlier) return earlier;
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const live = requireSwitchable(await requireApp(context, name));
      if (!live.placement.needsContainer) {
        throw new AppError("INVALID_STATE", `${name} has no container to deploy again`, { details: { app: name } });
      }
      return beginRedeployment(context, live, { pull, ...initiatorOf(caller) });
    }),
  );
}

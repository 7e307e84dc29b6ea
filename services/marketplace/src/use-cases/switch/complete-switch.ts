import type { DeploymentRecord } from "@appserver/contracts/deployments";
import { addressOf } from "../../domain/app.ts";
import type { LiveApp } from "../../domain/live-app.ts";
import type { MarketplaceContext } from "../context.ts";
import { commitSwitch } from "./commit-switch.ts";
import { finishSwitch, operationOf } from "./finish-switch.ts";

/** Makes the healthy target the release that serves. The switch, its event and its history are one transaction. */
export async function completeSwitch(
  context: MarketplaceContext,
  { app, target: release }: LiveApp,
  deployment: Pick<DeploymentRecord, "endpoint" | "wantedInstances" | "instances" | "imageDigest">,
): Promise<void> {
  const { target } = app;
  if (!target || !release) return;
  const operation = await operationOf(context, target, app);
  const imageDigest = deployment.imageDigest ?? target.imageDigest;
  const switched = await commitSwitch(context, {
    app: { ...app, target: { ...target, imageDigest } },
    to: release,
    address: addressOf(deployment),
    operation,
  });
  await finishSwitch(context, switched, operation);
}

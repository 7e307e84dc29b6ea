import { type DeploymentFault, type FaultKind, isImageFault } from "@appserver/contracts/deployments";
import { backoffMs } from "@appserver/kernel";
import { maxDelayMs } from "./restart-policy.ts";

const backOff = { firstMs: 10_000, maxMs: maxDelayMs };

/** Returns the fault after one more failed attempt. It keeps its beginning while the same part of the infrastructure fails. */
export function faultAfter(
  before: DeploymentFault | undefined,
  { kind, message }: { readonly kind: FaultKind; readonly message: string },
  now: number,
): DeploymentFault {
  const isSame = before !== undefined && (before.kind === kind || (isImageFault(before.kind) && isImageFault(kind)));
  return isSame
    ? { kind, message, since: before.since, attempts: before.attempts + 1 }
    : { kind, message, since: new Date(now), attempts: 1 };
}

/** Returns the milliseconds until the next attempt: 10 s, doubling, at most 5 min (docs/interface/containers.md#failures). */
export function faultDelayMs({ attempts }: DeploymentFault): number {
  return backoffMs(attempts, backOff);
}

import { AppError } from "./app-error.ts";
import type { Caller, MachineCaller } from "./caller.ts";
import type { PipelineBounds } from "./pipeline-bounds.ts";

/** What a pipeline may do without an app: plans and operations name other apps. */
const unboundPermission = "app:view";

/** Returns the bounds of a trusted pipeline. Undefined for every other caller. */
export function pipelineOf(caller: Caller): PipelineBounds | undefined {
  return caller.kind === "machine" ? caller.pipeline : undefined;
}

/** Throws PERMISSION_DENIED if the caller is a trusted pipeline of other apps. */
export function requireBoundTo(caller: Caller, appName: string): void {
  const pipeline = pipelineOf(caller);
  if (!pipeline || pipeline.apps.includes(appName)) return;
  throw new AppError(
    "PERMISSION_DENIED",
    `the trusted pipeline ${pipeline.trustId} acts on ${pipeline.apps.join(", ")} and not on ${appName}`,
    { details: { app: appName, trust: pipeline.trustId } },
  );
}

/** Returns the caller of an operation on an app. Throws PERMISSION_DENIED as {@link requireBoundTo}. */
export function actingOn(caller: Caller, appName: string): Caller {
  const pipeline = pipelineOf(caller);
  if (!pipeline) return caller;
  requireBoundTo(caller, appName);
  return { ...(caller as MachineCaller), pipeline: { ...pipeline, actsOn: appName } };
}

/** Returns the call of an operation on an app. Throws PERMISSION_DENIED as {@link requireBoundTo}. */
export function callOn<C extends { readonly caller: Caller }>(call: C, appName: string): C {
  if (!pipelineOf(call.caller)) return call;
  const caller = actingOn(call.caller, appName);
  return new Proxy(call, {
    get: (target, key) => {
      if (key === "caller") return caller;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns whether the bounds of a trusted pipeline let it use a permission of the platform, or of the app `owner`. */
export function pipelineAllows({ apps, actsOn }: PipelineBounds, permission: string, owner: string | undefined): boolean {
  if (owner !== undefined) return apps.includes(owner);
  return actsOn !== undefined || permission === unboundPermission;
}

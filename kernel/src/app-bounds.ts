import { AppError } from "./app-error.ts";
import { agentOf, type Caller } from "./caller.ts";
import type { AppBounds, PipelineBounds } from "./caller-bounds.ts";

/** What a bound caller may do without an app: plans and operations name other apps. */
const unboundPermission = "app:view";

/** Returns the bounds of a trusted pipeline. Undefined for every other caller. */
export function pipelineOf(caller: Caller): PipelineBounds | undefined {
  return caller.kind === "machine" ? caller.pipeline : undefined;
}

/** Returns the apps to which the caller is bound. Undefined if it is bound to none. */
export function appBoundsOf(caller: Caller): AppBounds | undefined {
  return pipelineOf(caller) ?? agentOf(caller)?.bounds;
}

/** Returns the bound caller as messages name it. */
export function boundCallerName(caller: Caller): string {
  const pipeline = pipelineOf(caller);
  return pipeline ? `the trusted pipeline ${pipeline.trustId}` : "the agent";
}

/** Returns whether the caller may act on the app, as far as its bounds are concerned. */
export function reachesApp(caller: Caller, appName: string): boolean {
  return appBoundsOf(caller)?.apps.includes(appName) ?? true;
}

/** Throws PERMISSION_DENIED if the caller is bound to other apps. */
export function requireBoundTo(caller: Caller, appName: string): void {
  const bounds = appBoundsOf(caller);
  if (!bounds || reachesApp(caller, appName)) return;
  throw new AppError(
    "PERMISSION_DENIED",
    `${boundCallerName(caller)} acts on ${bounds.apps.join(", ")} and not on ${appName}`,
    { details: { app: appName, ...trustOf(caller) } },
  );
}

/** Returns the details of an error that name the trusted pipeline. */
export function trustOf(caller: Caller): { readonly trust?: string } {
  const pipeline = pipelineOf(caller);
  return pipeline ? { trust: pipeline.trustId } : {};
}

/** Returns the caller of an operation on an app. Throws PERMISSION_DENIED as {@link requireBoundTo}. */
export function actingOn(caller: Caller, appName: string): Caller {
  requireBoundTo(caller, appName);
  if (caller.kind === "machine" && caller.pipeline) return { ...caller, pipeline: { ...caller.pipeline, actsOn: appName } };
  const agent = agentOf(caller);
  if (!agent?.bounds) return caller;
  return { ...caller, agent: { ...agent, bounds: { ...agent.bounds, actsOn: appName } } } as Caller;
}

/** Returns a bound caller as it acts on an app of its own: most permissions it holds only there. Other callers as they are. */
export function onOwnApp(caller: Caller): Caller {
  const [app] = appBoundsOf(caller)?.apps ?? [];
  return app === undefined ? caller : actingOn(caller, app);
}

/** Returns the call of an operation on an app. Throws PERMISSION_DENIED as {@link requireBoundTo}. */
export function callOn<C extends { readonly caller: Caller }>(call: C, appName: string): C {
  if (!appBoundsOf(call.caller)) return call;
  const caller = actingOn(call.caller, appName);
  return new Proxy(call, {
    get: (target, key) => {
      if (key === "caller") return caller;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns whether the bounds of a caller let it use a permission of the platform, or of the app `owner`. */
export function boundsAllow({ apps, actsOn }: AppBounds, permission: string, owner: string | undefined): boolean {
  if (owner !== undefined) return apps.includes(owner);
  return actsOn !== undefined || permission === unboundPermission;
}

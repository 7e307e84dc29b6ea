import { platformOperations } from "@appserver/contracts/operations";
import {
  type AppBounds,
  AppError,
  appBoundsOf,
  boundCallerName,
  type Call,
  callOn,
  type MaybePromise,
  trustOf,
} from "@appserver/kernel";
import type { GraphQLFieldResolver, GraphQLSchema } from "graphql";

/** Returns the name of the app with this id, undefined if there is none. */
export type NameOf = (appId: string) => Promise<string | undefined>;

type Resolver = GraphQLFieldResolver<unknown, Call>;

/**
 * Binds trusted pipelines and agents to their apps, in every root field (docs/interface/permissions.md#trusted-pipelines). Only here is it known on which
 * app an operation acts. Use cases get a caller that holds permissions of the platform for one of its own apps. A mutation of another app,
 * or of none, throws PERMISSION_DENIED. Other callers are not concerned.
 */
export function bindToApps(schema: GraphQLSchema, nameOf: NameOf): void {
  const bound = (operation: string, resolve: Resolver): Resolver => {
    const bind: Resolver = (source, args, call, info) => {
      const bounds = appBoundsOf(call.caller);
      if (!bounds) return resolve(source, args, call, info);
      return boundCall(call, bounds, { operation, args, nameOf }).then((own) => resolve(source, args, own, info));
    };
    return bind;
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (field.subscribe) field.subscribe = bound(field.name, field.subscribe as Resolver);
      else if (field.resolve) field.resolve = bound(field.name, field.resolve as Resolver);
    }
}

interface BoundOperation {
  readonly operation: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly nameOf: NameOf;
}

async function boundCall(call: Call, { apps }: AppBounds, { operation, args, nameOf }: BoundOperation): Promise<Call> {
  const { app, graphql } = platformOperations[operation] ?? {};
  const value = app && args[app];
  const name = app === "appID" ? await nameOf(String(value)) : value;
  if (typeof name === "string" && (graphql === "mutation" || apps.includes(name))) return callOn(call, name);
  if (graphql !== "mutation") return call;
  throw new AppError(
    "PERMISSION_DENIED",
    `${boundCallerName(call.caller)} acts on its apps only, and ${operation} names none of them`,
    {
      details: trustOf(call.caller),
    },
  );
}

/** Returns the call of a route that is no field and acts on one app. Throws PERMISSION_DENIED as {@link bindToApps}. */
export function callOfApp<C extends Call>(call: C, nameOf: NameOf, appId: string): MaybePromise<C> {
  return appBoundsOf(call.caller) ? nameOf(appId).then((name) => callOn(call, name ?? appId)) : call;
}

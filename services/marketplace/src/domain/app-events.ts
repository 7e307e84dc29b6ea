import { type EventPayloads, type EventType, eventBody } from "@appserver/contracts/events";
import type { AppRecord, AppTransition } from "./app.ts";
import type { RequiredScope } from "./required-permissions.ts";

export interface AppEvent<T extends EventType = EventType> {
  readonly type: T;
  readonly body: ReturnType<typeof eventBody<T>>;
  readonly actor: string | undefined;
}

/** Builds an event about an app from the record that the same transaction stores. */
export function appEvent<T extends EventType>(
  type: T,
  app: AppRecord,
  at: Date,
  actor: string | undefined,
  payload: EventPayloads[T],
): AppEvent<T> {
  return { type, body: eventBody<T>(app, at.toISOString(), payload), actor };
}

/** Builds `permission.approved`. A scope that two manifests require of the same owner appears once. */
export function permissionApproved(
  app: AppRecord,
  scopes: readonly RequiredScope[],
  at: Date,
  actor: string,
): AppEvent<"permission.approved"> {
  const unique = new Map(scopes.map(({ scope, owner }) => [`${owner} ${scope}`, { scope, owner: owner ?? null }]));
  return appEvent("permission.approved", app, at, actor, { scopes: [...unique.values()], actor });
}

/** Builds `app.state_changed`. Every committed transition emits it. */
export function stateChanged(app: AppRecord, transition: AppTransition): AppEvent<"app.state_changed"> {
  return appEvent("app.state_changed", app, transition.at, transition.actor, {
    from: transition.from ?? null,
    to: transition.to,
    reason: transition.reason,
  });
}

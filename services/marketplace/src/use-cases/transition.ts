import type { AppRecord, AppTransition } from "../domain/app.ts";
import { type AppEvent, stateChanged } from "../domain/app-events.ts";
import { type AppTrigger, nextState } from "../domain/app-state.ts";
import type { AppChange, AuditRecord } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp } from "./find-app.ts";
import { onCurrentApp } from "./on-current-app.ts";

export interface TransitionOptions {
  readonly reason: string;
  readonly actor?: string | undefined;
  /** Fields that change together with the state. */
  readonly fields?: Partial<AppRecord>;
  /** Returns further events for the same transaction, built from the record to be stored. */
  readonly events?: (app: AppRecord, at: Date) => readonly AppEvent[];
  readonly versionChange?: AppChange["versionChange"];
  readonly operation?: AppChange["operation"];
  readonly audit?: AuditRecord;
}

/** Changes the state of an app by the state table. Stores state, history and events in one transaction. */
export function transition(
  context: MarketplaceContext,
  app: AppRecord,
  trigger: AppTrigger,
  options: TransitionOptions,
): Promise<AppRecord> {
  const at = new Date(context.clock.now());
  const to = nextState(app.name, app.state, trigger);
  const step: AppTransition = { from: app.state, to, reason: options.reason, actor: options.actor, at };
  const next: AppRecord = { ...app, ...options.fields, state: to, updatedAt: at };
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    transition: step,
    events: [stateChanged(next, step), ...(options.events?.(next, at) ?? [])],
    ...(options.versionChange ? { versionChange: options.versionChange } : {}),
    ...(options.operation ? { operation: options.operation } : {}),
    ...(options.audit ? { audit: options.audit } : {}),
  });
}

/**
 * Changes the state of an app that a command has begun to work on, as {@link transition} does. Repeats it on the app as it is now if
 * another writer changed it: the caller must not learn CONFLICT of a command that has begun.
 */
export function transitionCurrent(
  context: MarketplaceContext,
  known: AppRecord,
  trigger: AppTrigger,
  options: TransitionOptions,
): Promise<AppRecord> {
  return onCurrentApp(async (attempt) => transition(context, await appForAttempt(context, known, attempt), trigger, options));
}

/** Returns the app for an attempt of {@link onCurrentApp} that begins with a known record: that record first, later what is stored. */
export async function appForAttempt(context: MarketplaceContext, known: AppRecord, attempt: number): Promise<AppRecord> {
  return attempt === 1 ? known : (await requireApp(context, known.name, known.id)).app;
}

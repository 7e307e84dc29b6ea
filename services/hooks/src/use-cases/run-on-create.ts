import { AppError, currentTraceparent } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import type { HookApp } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { mayVeto } from "./hook-sources.ts";
import { countTrigger } from "./trigger-hook.ts";

export interface OnCreateCommand {
  readonly app: HookApp;
  /** Id of the installation. A resumed installation does not call its subscribers twice. */
  readonly operationId: string;
  readonly actor: string | undefined;
}

const lookEveryMs = 100;

/**
 * Triggers `app.on_create` and waits for its subscribers before the app is installed (docs/interface/hooks.md#creation-hook).
 *
 * It waits for subscribers that hold `app:veto` and can be reached now, over an open stream or at a running backend. Other
 * subscribers get the event but decide nothing. The installation must not wait for an app that is down; that app gets the event
 * when it is back. Nor can it wait for the app's own container, which starts only after the installation.
 *
 * Throws UPSTREAM_ERROR if a subscriber refused permanently, UPSTREAM_TIMEOUT if one did not succeed in time, with the last
 * reason. Deliveries that are still open are then dropped.
 */
export async function runOnCreate(context: HooksContext, command: OnCreateCommand): Promise<void> {
  const { app, operationId } = command;
  await context.deliveries.trigger({
    id: operationId,
    hookName: "app.on_create",
    sourceApp: undefined,
    data: JSON.stringify({ appName: app.name, appId: app.id, version: app.version }),
    orderingKey: undefined,
    triggeredAt: new Date(context.clock.now()),
    triggeredBy: command.actor ?? "system",
    traceparent: currentTraceparent(),
    subject: app,
    // The installation is audited, not its hook.
    audit: undefined,
  });
  countTrigger(context, undefined);
  const awaited = new Set<string>();
  for (const delivery of await context.deliveryReads.ofEvent(operationId))
    if ((await mayVeto(context, delivery.appName)) && (await isReachable(context, delivery, app))) awaited.add(delivery.id);
  if (awaited.size > 0) await waitFor(context, operationId, awaited);
}

async function isReachable(context: HooksContext, { appName, hookName }: Delivery, created: HookApp): Promise<boolean> {
  if (await context.subscriptions.hasStream(appName, hookName)) return true;
  const app = appName === created.name ? created : await context.apps.get(appName);
  const path = app?.hooks.find((hook) => hook.hookName === hookName)?.path;
  return path !== undefined && app?.backend !== undefined;
}

async function waitFor(context: HooksContext, eventId: string, awaited: ReadonlySet<string>): Promise<void> {
  const { clock, policy } = context;
  for (const deadline = clock.monotonic() + policy.onCreateTimeoutMs; ; await clock.sleep(lookEveryMs)) {
    const open = (await context.deliveryReads.ofEvent(eventId)).filter(
      ({ id, status }) => awaited.has(id) && status !== "DELIVERED",
    );
    if (open.length === 0) return;
    const refused = open.find(({ status }) => status === "DEAD" || status === "DROPPED");
    if (!refused && clock.monotonic() < deadline) continue;
    await context.deliveries.cancel(eventId, "the installation failed");
    throw refused ? failure("UPSTREAM_ERROR", refused, "refused it") : lateness(open, policy.onCreateTimeoutMs);
  }
}

function lateness(open: readonly Delivery[], timeoutMs: number): AppError {
  const [first] = open;
  const within = `did not accept it within ${timeoutMs} ms`;
  return first ? failure("UPSTREAM_TIMEOUT", first, within) : new AppError("UPSTREAM_TIMEOUT", `app.on_create ${within}`);
}

function failure(code: "UPSTREAM_ERROR" | "UPSTREAM_TIMEOUT", delivery: Delivery, what: string): AppError {
  const reason = delivery.error ? `: ${delivery.error.message}` : "";
  return new AppError(code, `app.on_create: ${delivery.appName} ${what}${reason}`, {
    details: { hook: delivery.hookName, subscriber: delivery.appName, attempts: delivery.attempt },
  });
}

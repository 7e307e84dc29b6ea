import { type Clock, clientNetwork, Rejection } from "@appserver/kernel";
import type { Cache, RoutedApp, ServedApps, ServingApp } from "../../ports.ts";
import type { BufferedRequests } from "./buffered-requests.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";
import { unavailable } from "./unavailable.ts";
import { wakingPage } from "./waking-page.ts";

/** How often requests without an identity start apps that are asleep, in any minute. */
export interface PublicWakes {
  readonly perAddress: number;
  readonly inAll: number;
}

export interface WakeAsleepDeps {
  readonly apps: ServedApps;
  readonly buffered: BufferedRequests;
  readonly waking: {
    isAsked(appName: string): boolean;
    ask(app: ServingApp): void;
  };
  readonly cache: Cache;
  readonly clock: Clock;
  readonly publicWakes: PublicWakes;
  /** Maximum time that a request waits for the start. */
  readonly wakeTimeoutMs: number;
}

const minuteMs = 60_000;
/** After this time a browser that opens a page is shown that the app starts. */
const pageAfterMs = 1_000;
const retryAfterSeconds = 5;

/**
 * Starts an app that is asleep, and lets the request wait (docs/interface/sleep.md#waking). It comes after every check of the caller.
 * A request that only asks about a resource starts nothing.
 */
export function wakeAsleep(deps: WakeAsleepDeps): Step {
  return (proxied) => {
    const { app } = proxied.match;
    const isUse = proxied.method !== "HEAD" && proxied.method !== "OPTIONS";
    if (app.isAsleep && !proxied.isTunnelled) return wake(proxied, isUse, deps);
    if (isUse) app.upstream.use();
    return undefined;
  };
}

async function wake(proxied: ProxiedRequest, isUse: boolean, deps: WakeAsleepDeps): Promise<void> {
  const { app, route } = proxied.match;
  const { apps, waking } = deps;
  if (!isUse || isPrefetch(proxied)) throw asleep("asleep");
  if (!waking.isAsked(app.name)) {
    if (route.isPublic) await limitPublic(proxied, deps);
    waking.ask(app);
  }
  let current: RoutedApp | undefined = app;
  while (current && (current.isServing ? current.isAsleep : current.isBuffered)) {
    await waitFor(proxied, deps);
    if (proxied.isAborted) return;
    current = apps.find(app.name);
  }
  if (!current?.isServing) throw current ? unavailable(current) : asleep("uninstalled");
  // Its routes have changed since this one was matched.
  if (current.compiled !== app.compiled) throw asleep("upgraded");
  proxied.continueWith(current);
  current.upstream.use();
}

async function waitFor(proxied: ProxiedRequest, { buffered, wakeTimeoutMs }: WakeAsleepDeps): Promise<void> {
  const { app } = proxied.match;
  const isPage = isNavigation(proxied);
  const waiting = { name: app.name, reason: "waking", retryAfterSeconds };
  try {
    await buffered.wait(proxied, waiting, isPage ? Math.min(pageAfterMs, wakeTimeoutMs) : wakeTimeoutMs);
  } catch (error) {
    if (!isPage || !(error instanceof Rejection)) throw error;
    throw asleep("waking", wakingPage(app.compiled.name));
  }
}

/** Strangers must not start every app of a platform, again and again. */
async function limitPublic({ remoteAddress }: ProxiedRequest, { cache, publicWakes }: WakeAsleepDeps): Promise<void> {
  const counted: readonly (readonly [key: string, limit: number])[] = [
    [`wake:${clientNetwork(remoteAddress)}`, publicWakes.perAddress],
    ["wake:public", publicWakes.inAll],
  ];
  for (const [key, limit] of counted) {
    const { allowed, resetMs } = await cache.slidingWindow(key, [{ limit, windowMs: minuteMs }]);
    if (!allowed) throw asleep("asleep", undefined, Math.max(1, Math.ceil(resetMs / 1_000)));
  }
}

function isPrefetch(proxied: ProxiedRequest): boolean {
  const purpose = proxied.header("sec-purpose") ?? proxied.header("purpose") ?? "";
  return purpose.includes("prefetch");
}

function isNavigation(proxied: ProxiedRequest): boolean {
  return proxied.method === "GET" && !proxied.isUpgrade && proxied.header("sec-fetch-mode") === "navigate";
}

function asleep(reason: string, page?: string, seconds = page ? 1 : retryAfterSeconds): Rejection {
  return unavailable({ reason, retryAfterSeconds: seconds, page });
}

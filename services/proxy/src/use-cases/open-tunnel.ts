import { createSecretKey } from "node:crypto";
import {
  AppError,
  actorOf,
  type Call,
  invalidField,
  isUuid,
  type Logger,
  type Permissions,
  requirePermission,
} from "@appserver/kernel";
import type { ServedApps, ServingApp, Tunnel, TunnelCarrier, Tunnels } from "../ports.ts";

export interface TunnelContext {
  readonly permissions: Permissions;
  readonly apps: ServedApps;
  readonly tunnels: Tunnels;
  readonly logger: Logger;
}

export interface TunnelInput {
  readonly appName: string;
  readonly tunnelId: string;
  readonly forwardSecret: Uint8Array;
}

const secretBytes = 32;

/**
 * Opens a tunnel to a backend of the calling user (docs/interface/proxy.md#developer-tunnels). `readInput` is called
 * when nothing refuses the caller. Needs `app:dev`. Throws INVALID_REQUEST, PERMISSION_DENIED, CONFLICT if this replica has the
 * tunnel already, and NOT_FOUND or INVALID_STATE if the app is not there or does not serve.
 */
export async function openTunnel(
  { permissions, apps, tunnels, logger }: TunnelContext,
  readInput: () => Promise<TunnelInput>,
  carrier: TunnelCarrier,
  call: Call,
): Promise<{ readonly tunnel: Tunnel; readonly app: ServingApp }> {
  await requirePermission(permissions, call, "app:dev");
  const { caller } = call;
  if (caller.kind !== "user")
    throw new AppError("PERMISSION_DENIED", "a tunnel carries the requests of a person: sign in with `appctl login`");
  const { appName, tunnelId, forwardSecret } = await readInput();
  if (!isUuid(tunnelId)) throw invalidField("start.tunnel_id", "must be a UUID");
  if (forwardSecret.length !== secretBytes)
    throw invalidField("start.forward_secret", `must have ${secretBytes} bytes, got ${forwardSecret.length}`);
  const app = servingApp(apps, appName);
  const spec = { id: tunnelId, appName, userId: caller.id, forwardKey: createSecretKey(forwardSecret) };
  const tunnel = tunnels.open(spec, carrier);
  const fields = { app: appName, caller: actorOf(caller), tunnel: tunnelId };
  logger.info(fields, "proxy: a tunnel to a developer's backend was opened");
  return { tunnel, app };
}

function servingApp(apps: ServedApps, name: string): ServingApp {
  const app = apps.find(name);
  const details = { app: name };
  if (!app) throw new AppError("NOT_FOUND", `no app with a backend is installed under ${JSON.stringify(name)}`, { details });
  if (!app.isServing) throw new AppError("INVALID_STATE", `${name} does not serve now: ${app.reason}`, { details });
  return app;
}

import type { SecureContextOptions } from "node:tls";
import { createClient } from "@redis/client";
import type { RedisTarget } from "./redis-target.ts";

export interface ConnectionOptions {
  readonly target: RedisTarget;
  /** Certificates for `rediss://` beside those that Node trusts: `ca`, and `cert` with `key` where Redis asks for them. */
  readonly tls: SecureContextOptions | undefined;
  readonly timeoutMs: number;
  /** Hears once when the connection has ended by itself. */
  readonly onEnd: (error: Error) => void;
  /** Turns tracking on: hears of every key that was read here and has changed since; without a key, of all of them. */
  readonly onInvalidate?: (key: string | undefined) => void;
}

/** One connection in RESP3. Commands are pipelined: what is sent in one turn of the event loop goes in one write. */
export interface RedisConnection {
  /** Rejects with the server's error, or when the connection ends first. */
  send(args: readonly string[]): Promise<unknown>;
  close(): void;
}

/** Rejects when the connection is not ready, credentials accepted, within the time. */
export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const client = createClient({
    RESP: 3,
    ...credentials(options.target),
    database: options.target.database,
    socket: socketOptions(options),
    // Whoever lost a connection opens a new one: what was sent on the old one must not be sent again later.
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    emitInvalidate: options.onInvalidate !== undefined,
    name: "appserver",
    // A timer for each command, for the time until it is written, would cost more than the command.
    commandOptions: { timeout: 0 },
  });
  client.on("invalidate", (key: Buffer | null) => options.onInvalidate?.(key?.toString()));
  client.on("error", (error: Error) => options.onEnd(error));
  const timer = setTimeout(() => client.destroy(), options.timeoutMs);
  try {
    await client.connect();
  } finally {
    clearTimeout(timer);
  }
  return {
    send: (args) => client.sendCommand([...args]),
    close: () => client.destroy(),
  };
}

function credentials({ username, password }: RedisTarget): { username?: string; password?: string } {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

function socketOptions({
  target,
  tls,
  timeoutMs,
}: ConnectionOptions): NonNullable<NonNullable<Parameters<typeof createClient>[0]>["socket"]> {
  const address = { host: target.host, port: target.port, connectTimeout: timeoutMs, reconnectStrategy: false as const };
  return target.tls ? { ...address, ...tls, tls: true } : address;
}

import type { SecureContextOptions } from "node:tls";
import { createClient } from "@redis/client";
import type { RedisTarget } from "./redis-target.ts";

export interface ConnectionOptions {
  readonly target: RedisTarget;
  /** Certificates for `rediss://` in addition to those that Node trusts: `ca`, and `cert` with `key` if Redis requires them. */
  readonly tls: SecureContextOptions | undefined;
  readonly timeoutMs: number;
  /** Called once if the connection ends by itself. */
  readonly onEnd: (error: Error) => void;
  /** Turns tracking on. Called with every key that was read here and has changed since; without a key for all of them. */
  readonly onInvalidate?: (key: string | undefined) => void;
}

/** One connection in RESP3. Commands are pipelined: all commands of one event-loop turn are sent in one write. */
export interface RedisConnection {
  /** Rejects with the server's error, or if the connection ends first. */
  send(args: readonly string[]): Promise<unknown>;
  close(): void;
}

/** Rejects if the connection is not open and authenticated within the time. */
export async function connectRedis(options: ConnectionOptions): Promise<RedisConnection> {
  const client = createClient({
    RESP: 3,
    ...credentials(options.target),
    database: options.target.database,
    socket: socketOptions(options),
    // The caller opens a new connection after a loss: commands of the old one must not be sent again later.
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

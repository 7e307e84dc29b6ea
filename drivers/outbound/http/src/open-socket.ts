import { connect, type LookupFunction, type OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";
import { ReadMemory, type ReadTarget } from "@appserver/kernel";

/** Gets what a socket reads. The bytes are valid during the call only, unless `mayKeep` and it returns `another`. */
export type OnRead = (bytes: Buffer, mayKeep: boolean) => ReadTarget;

export interface OpenedSocket {
  readonly socket: Duplex;
  /** Whether the socket is an ordinary stream that emits what it reads. Else it passes that to `onRead`. */
  readonly isStream: boolean;
}

/** Opens a connection to one backend. Without `onRead` its socket is an ordinary stream; with TLS it is one always. */
export type OpenSocket = (
  onRead: OnRead | undefined,
  callback: (error: Error | null, opened: OpenedSocket | null) => void,
) => void;

export const connectTimeoutMs = 5_000;
const keepAliveProbeMs = 60_000;

class ConnectTimeout extends Error {
  override readonly name = "ConnectTimeout";
  readonly code = "ETIMEDOUT";
}

export interface TcpAddress {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Default: {@link connectTimeoutMs}. */
  readonly timeoutMs?: number | undefined;
}

/** Opens a connection without TLS. */
export function openTcp(
  { host, port, lookup, timeoutMs = connectTimeoutMs }: TcpAddress,
  onRead: OnRead | undefined,
  callback: Parameters<OpenSocket>[1],
): void {
  const socket = connect({
    host,
    port,
    ...(lookup && { lookup }),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
    ...(onRead && { onread: reading(onRead) }),
  });
  const onError = (error: Error): void => callback(error, null);
  socket.setTimeout(timeoutMs, () => socket.destroy(new ConnectTimeout(`no connection in ${timeoutMs} ms`)));
  socket.once("error", onError).once("connect", () => {
    socket.setTimeout(0).removeAllListeners("timeout").removeListener("error", onError);
    callback(null, { socket, isStream: onRead === undefined });
  });
}

function reading(onRead: OnRead): OnReadOpts {
  const memory = new ReadMemory();
  return {
    buffer: () => memory.buffer,
    callback: (count, bytes) => {
      memory.use(onRead((bytes as Buffer).subarray(0, count), memory.mayKeep(count)));
      // The socket continues to read.
      return true;
    },
  };
}

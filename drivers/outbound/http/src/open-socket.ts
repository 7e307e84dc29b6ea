import { connect, type LookupFunction, type OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";

/** What a socket reads into next: the memory of all sockets, its own, or another own one because what it has read is kept. */
export type ReadMemory = "shared" | "own" | "another";

/**
 * Gets what a socket reads. The bytes are valid during the call only, unless `isOwn` and it returns `another`.
 */
export type OnRead = (bytes: Buffer, isOwn: boolean) => ReadMemory;

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

/** What sockets read into, because each passes its bytes on before the next one reads. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);
/** Size of the memory of a socket that reads a large body. */
const ownBytes = 256 * 1024;

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
}

/** Opens a connection without TLS. */
export function openTcp(
  { host, port, lookup }: TcpAddress,
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
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new ConnectTimeout(`no connection in ${connectTimeoutMs} ms`)));
  socket.once("error", onError).once("connect", () => {
    socket.setTimeout(0).removeAllListeners("timeout").removeListener("error", onError);
    callback(null, { socket, isStream: onRead === undefined });
  });
}

function reading(onRead: OnRead): OnReadOpts {
  let own: Buffer | undefined;
  return {
    buffer: () => own ?? shared,
    callback: (count, bytes) => {
      const next = onRead((bytes as Buffer).subarray(0, count), bytes === own);
      if (next === "shared") own = undefined;
      else if (next === "another" || !own) own = Buffer.allocUnsafeSlow(ownBytes);
      // The socket continues to read.
      return true;
    },
  };
}

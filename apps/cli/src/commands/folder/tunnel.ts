import type { Socket } from "node:net";
import { PassThrough, pipeline } from "node:stream";
import {
  OpenTunnelRequestSchema,
  type OpenTunnelResponse,
  type TunnelFrame,
  type TunnelOpened,
} from "@appserver/contracts/proto/appserver/v2/development";
import { type TunnelConnection, TunnelConnections } from "@appserver/contracts/tunnels";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeOf } from "../../failure.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { connect } from "../../platform.ts";
import { sleep } from "../../sleep.ts";

export interface TunnelStart {
  readonly appName: string;
  /** UUID. */
  readonly tunnelId: string;
  readonly forwardSecret: Uint8Array;
}

/** Each server of the platform needs a tunnel of its own, and a new connection may reach any of them. */
const anotherServerEveryMs = 5_000;
/** Pause after a tunnel was opened, and after servers that have it. */
const hurryMs = 100;
/** After so many connections to servers that have the tunnel already, it is probably everywhere. */
const enoughRepeats = 3;
const reconnectEveryMs = 1_000;
const keepAliveMs = 15_000;
const idleMs = 1_000;

/** What another attempt does not change. */
const refusals: ReadonlySet<Code> = new Set([
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.InvalidArgument,
  Code.NotFound,
  Code.FailedPrecondition,
  Code.Unimplemented,
]);

/**
 * Keeps a tunnel open to every server of the platform that connections reach. `onOpen` is called with their number when one was opened.
 * Rejects if there is none and the platform refuses one, or if another tunnel replaces them.
 */
export async function keepTunnels(
  options: GlobalOptions,
  start: TunnelStart,
  connectBackend: () => Promise<Socket>,
  onOpen: (servers: number, opened: TunnelOpened) => void,
): Promise<never> {
  const over = new AbortController();
  let servers = 0;
  let repeats = 0;
  try {
    for (;;) {
      let pauseMs = anotherServerEveryMs;
      try {
        const { opened, ended } = await openTunnel(options, start, connectBackend, over.signal);
        servers += 1;
        repeats = 0;
        pauseMs = hurryMs;
        onOpen(servers, opened);
        void ended.then((error) => {
          servers -= 1;
          if (codeOf(error) === "CONFLICT") over.abort(error);
        });
      } catch (error) {
        if (codeOf(error) === "CONFLICT") {
          repeats += 1;
          if (repeats < enoughRepeats) pauseMs = hurryMs;
        } else if (servers === 0 && refusals.has(ConnectError.from(error).code)) throw error;
      }
      await sleep(servers === 0 ? reconnectEveryMs : pauseMs, undefined, { signal: over.signal }).catch(() => {});
      over.signal.throwIfAborted();
    }
  } finally {
    over.abort();
  }
}

/** Opens a tunnel over a new connection. `ended` resolves with the reason. Rejects if the platform refuses it. */
async function openTunnel(
  options: GlobalOptions,
  start: TunnelStart,
  connectBackend: () => Promise<Socket>,
  signal: AbortSignal,
): Promise<{ readonly opened: TunnelOpened; readonly ended: Promise<unknown> }> {
  const frames = new PassThrough({ objectMode: true });
  const { development } = connect(options, { keepAliveMs, idleMs });
  const responses = development.openTunnel(requests(start, frames), { signal })[Symbol.asyncIterator]();
  const first = await responses.next();
  if (first.done || first.value.message.case !== "opened")
    throw new ConnectError("the tunnel was not opened", Code.Unavailable);
  const connections = new TunnelConnections(
    (frame) => frames.writableEnded || frames.write(frame),
    (connection) => void join(connection, connectBackend),
  );
  const ended = receive(responses, connections).finally(() => {
    connections.close();
    frames.end();
  });
  return { opened: first.value.message.value, ended };
}

async function* requests(start: TunnelStart, frames: AsyncIterable<TunnelFrame>) {
  yield create(OpenTunnelRequestSchema, { message: { case: "start", value: start } });
  for await (const value of frames) yield create(OpenTunnelRequestSchema, { message: { case: "frame", value } });
}

/** Reads frames until the tunnel ends. Resolves with the reason. Never rejects. */
async function receive(responses: AsyncIterator<OpenTunnelResponse>, connections: TunnelConnections): Promise<unknown> {
  try {
    for (let next = await responses.next(); !next.done; next = await responses.next())
      if (next.value.message.case === "frame") connections.receive(next.value.message.value);
    return new ConnectError("the platform ended the tunnel", Code.Unavailable);
  } catch (error) {
    return error;
  }
}

/** Connects one connection of the platform to the backend. Never rejects. */
async function join(connection: TunnelConnection, connectBackend: () => Promise<Socket>): Promise<void> {
  try {
    const socket = await connectBackend();
    if (connection.destroyed) {
      socket.destroy();
      return;
    }
    pipeline(connection, socket, () => {});
    pipeline(socket, connection, () => {});
  } catch {
    connection.refuse();
  }
}

import { createServer, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Duplex, PassThrough, pipeline, Readable } from "node:stream";
import {
  OpenTunnelRequestSchema,
  type OpenTunnelResponse,
  type TunnelOpened,
} from "@appserver/contracts/proto/appserver/v2/development";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
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
const hurryMs = 100;
/** After so many connections to servers that have the tunnel already, it is probably everywhere. */
const enoughRepeats = 3;
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
 * Keeps a tunnel open to every server of the platform that connections reach. `onOpen` is called after each change of their number.
 * Rejects if there is none and the platform refuses one, or if another tunnel replaces them.
 */
export async function keepTunnels(
  options: GlobalOptions,
  start: TunnelStart,
  connectBackend: () => Promise<Socket>,
  onOpen: (servers: number, opened: TunnelOpened) => void,
): Promise<never> {
  const replaced = new AbortController();
  let servers = 0;
  for (let repeats = 0; ; ) {
    try {
      const { opened, ended } = await openTunnel(options, start, connectBackend);
      servers += 1;
      repeats = 0;
      onOpen(servers, opened);
      void ended.then((error) => {
        servers -= 1;
        if (error.code === Code.Aborted) replaced.abort(error);
      });
    } catch (error) {
      const { code } = ConnectError.from(error);
      if (code === Code.Aborted) repeats += 1;
      else if (servers === 0 && refusals.has(code)) throw error;
    }
    const pauseMs = servers > 0 && repeats < enoughRepeats ? hurryMs : anotherServerEveryMs;
    await sleep(servers === 0 ? hurryMs * 10 : pauseMs, undefined, { signal: replaced.signal }).catch(() => {});
    replaced.signal.throwIfAborted();
  }
}

/** Opens a tunnel over a new connection. `ended` resolves with the reason. Rejects if the platform refuses it. */
async function openTunnel(options: GlobalOptions, start: TunnelStart, connectBackend: () => Promise<Socket>) {
  const output = new PassThrough();
  const { development } = connect(options, { keepAliveMs, idleMs });
  const responses = development.openTunnel(requests(start, output), { timeoutMs: 0 })[Symbol.asyncIterator]();
  const first = await responses.next();
  if (first.done || first.value.message.case !== "opened")
    throw new ConnectError("the tunnel was not opened", Code.Unavailable);
  const opened = first.value.message.value;
  const ended = new Promise<ConnectError>((resolve) => {
    const input = Readable.from(bytesOf(responses, resolve), { objectMode: false });
    const carrier = Duplex.from({ readable: input, writable: output });
    carrier.on("error", () => {});
    const server = createServer();
    server.on("sessionError", () => {});
    server.on("stream", (stream) => void join(stream, connectBackend));
    server.emit("connection", carrier);
  });
  return { opened, ended };
}

async function* requests(start: TunnelStart, output: PassThrough) {
  yield create(OpenTunnelRequestSchema, { message: { case: "start", value: start } });
  for await (const value of output) yield create(OpenTunnelRequestSchema, { message: { case: "data", value } });
}

async function* bytesOf(
  responses: AsyncIterator<OpenTunnelResponse>,
  onEnd: (reason: ConnectError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await responses.next(); !next.done; next = await responses.next())
      if (next.value.message.case === "data") yield next.value.message.value;
    onEnd(new ConnectError("the platform ended the tunnel", Code.Unavailable));
  } catch (error) {
    onEnd(ConnectError.from(error));
  }
}

/** Connects one connection of the platform to the backend. */
async function join(stream: ServerHttp2Stream, connectBackend: () => Promise<Socket>): Promise<void> {
  stream.on("error", () => {});
  try {
    const socket = await connectBackend();
    stream.respond({ ":status": 200 });
    pipeline(stream, socket, () => {});
    pipeline(socket, stream, () => {});
  } catch {
    if (!stream.destroyed) stream.respond({ ":status": 502 }, { endStream: true });
  }
}

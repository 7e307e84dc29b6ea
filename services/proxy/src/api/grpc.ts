import { Duplex, PassThrough, Readable } from "node:stream";
import type { OpenTunnelRequest } from "@appserver/contracts/proto/appserver/v2/development";
import { type Call, invalidField } from "@appserver/kernel";
import { openTunnel, type TunnelContext } from "../use-cases/open-tunnel.ts";

/** The methods of `appserver.v2.DevelopmentService`. They only translate. */
export function developmentGrpc(context: TunnelContext) {
  return {
    openTunnel: async function* (requests: AsyncIterable<OpenTunnelRequest>, call: Call) {
      const messages = requests[Symbol.asyncIterator]();
      const output = new PassThrough();
      const connect = (): Duplex => {
        const input = Readable.from(bytesOf(messages), { objectMode: false });
        return Duplex.from({ readable: input, writable: output });
      };
      const { tunnel, app } = await openTunnel(context, () => readStart(messages), connect, call);
      call.signal.addEventListener("abort", () => tunnel.close(), { once: true });
      try {
        yield { message: { case: "opened" as const, value: { appId: app.compiled.id, version: app.compiled.version } } };
        for await (const value of untilEnded(output)) yield { message: { case: "data" as const, value } };
      } finally {
        tunnel.close();
      }
      if (tunnel.endedBy) throw tunnel.endedBy;
    },
  };
}

async function readStart(messages: AsyncIterator<OpenTunnelRequest>) {
  const first = await messages.next();
  if (!first.done && first.value.message.case === "start") return first.value.message.value;
  throw invalidField("message", "start is required as the first");
}

async function* bytesOf(messages: AsyncIterator<OpenTunnelRequest>): AsyncGenerator<Uint8Array> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) {
    const { message } = next.value;
    if (message.case !== "data") throw invalidField("message", "must be data after the first");
    yield message.value;
  }
}

/** Ends with the stream, also if it is destroyed: the tunnel knows the reason. */
async function* untilEnded(output: PassThrough): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of output) yield bytes;
  } catch {
    // Destroyed.
  }
}

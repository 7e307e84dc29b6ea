import type { OpenTunnelRequest, TunnelFrame } from "@appserver/contracts/proto/appserver/v2/development";
import { TunnelConnections } from "@appserver/contracts/tunnels";
import { AppError, type Call, invalidField, isAppError, Mailbox } from "@appserver/kernel";
import type { Tunnel } from "../ports.ts";
import { openTunnel, type TunnelContext } from "../use-cases/open-tunnel.ts";

/** More frames than the windows of all connections hold in pieces of the usual size. */
const maxWaitingFrames = 10_000;

/** The methods of `appserver.v2.DevelopmentService`. They only translate. */
export function developmentGrpc(context: TunnelContext) {
  return {
    openTunnel: async function* (requests: AsyncIterable<OpenTunnelRequest>, call: Call) {
      const messages = requests[Symbol.asyncIterator]();
      const frames = new Mailbox<TunnelFrame>(maxWaitingFrames);
      const connections = new TunnelConnections((frame) => {
        if (!frames.push(frame)) tunnel.close(new AppError("RATE_LIMIT_EXCEEDED", "the tunnel is not read"));
      });
      const carrier = {
        dial: () => connections.dial(),
        end: () => {
          connections.close();
          frames.close();
        },
      };
      const { tunnel, app } = await openTunnel(context, () => readStart(messages), carrier, call);
      call.signal.addEventListener("abort", () => tunnel.close(), { once: true });
      void receive(messages, connections, tunnel);
      try {
        yield { message: { case: "opened" as const, value: { appId: app.compiled.id, version: app.compiled.version } } };
        for await (const value of frames) yield { message: { case: "frame" as const, value } };
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

/** Reads frames until the client stops sending; then the tunnel ends. Never rejects. */
async function receive(
  messages: AsyncIterator<OpenTunnelRequest>,
  connections: TunnelConnections,
  tunnel: Tunnel,
): Promise<void> {
  try {
    for (let next = await messages.next(); !next.done; next = await messages.next()) {
      const { message } = next.value;
      if (message.case !== "frame") throw invalidField("message", "must be a frame after the first");
      connections.receive(message.value);
    }
    tunnel.close();
  } catch (error) {
    // Any other error means that the client disconnected.
    if (error instanceof RangeError) tunnel.close(invalidField("frame", error.message));
    else tunnel.close(isAppError(error) ? error : undefined);
  }
}

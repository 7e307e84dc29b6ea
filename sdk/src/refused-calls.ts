import { ConnectError, type Transport } from "@connectrpc/connect";

const maxAttempts = 3;
/** Names the code of HTTP/2 in the messages of Node and of Connect, which have no field for it. */
const refusal = /^(?:Stream closed with error code NGHTTP2_|http\/2 stream closed with error code )REFUSED_STREAM\b/;

/**
 * Repeats calls that the server has refused before it looked at them (RFC 9113 §8.7). That happens to a call that begins in the moment in which
 * its connection ends, because the server leaves or the connection is old. Streams are repeated by those who open them.
 */
export function repeatingRefused(transport: Transport): Transport {
  return {
    unary: async (...call) => {
      for (let attempt = 1; ; attempt += 1)
        try {
          return await transport.unary(...call);
        } catch (error) {
          if (attempt === maxAttempts || !isRefused(error)) throw error;
        }
    },
    stream: (...call) => transport.stream(...call),
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof ConnectError && refusal.test(error.rawMessage);
}

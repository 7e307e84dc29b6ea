import { BodyBuffer, type BufferLease } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import { tooLarge, tooLate } from "./request-message.ts";

/** Size of flag and length before each message of a stream, in gRPC, gRPC-Web and Connect. */
const prefixBytes = 5;
/** A network chunk may contain thousands of small messages. After this many, other work may run. */
const messagesPerTurn = 128;

export interface EnvelopeRules {
  /** Maximum size of a message as sent. */
  readonly maxMessageBytes: number;
  /** False: compressed messages are refused, because only the listener's maximum limits their inflated size. */
  readonly mayCompress: boolean;
  readonly lease: BufferLease;
  /** Time limit for the first message, and for each later one from its first byte. 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Time limit between messages. 0 for no limit. */
  readonly idleTimeoutMs: number;
}

/**
 * Splits the body of a stream into whole messages with their prefixes. Throws RESOURCE_EXHAUSTED for a message that is too
 * large as soon as its length is known, DEADLINE_EXCEEDED for one that takes too long, and the errors of the lease.
 */
export async function* requestEnvelopes(body: AsyncIterable<Uint8Array>, rules: EnvelopeRules): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const buffer = new BodyBuffer(rules.lease);
  let needed = prefixBytes;
  let count = 0;
  let deadline = deadlineIn(rules.readTimeoutMs);
  for (let next = await nextBefore(chunks, deadline); !next.done; next = await nextBefore(chunks, deadline)) {
    const [known, wasEmpty] = [count, buffer.length === 0];
    for (let rest = next.value; rest.length > 0; ) {
      const part = rest.subarray(0, needed - buffer.length);
      rest = rest.subarray(part.length);
      buffer.add(part);
      if (buffer.length < needed) break;
      const envelope = buffer.take();
      const length = needed === prefixBytes ? lengthOf(envelope, rules) : 0;
      if (length > 0) {
        buffer.add(envelope);
        needed = prefixBytes + length;
        continue;
      }
      needed = prefixBytes;
      count += 1;
      yield envelope;
      buffer.release();
      if (count % messagesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const hasBegun = buffer.length > 0;
    if (count > known || (wasEmpty && count > 0)) deadline = deadlineIn(hasBegun ? rules.readTimeoutMs : rules.idleTimeoutMs);
  }
  // Connect reports an incomplete message in the error format of the protocol.
  if (buffer.length > 0) yield buffer.take();
}

function lengthOf(prefix: Uint8Array, { maxMessageBytes, mayCompress }: EnvelopeRules): number {
  const length = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength).getUint32(1);
  if (length > maxMessageBytes) throw tooLarge(maxMessageBytes);
  const isCompressed = ((prefix[0] ?? 0) & 1) === 1;
  if (isCompressed && !mayCompress)
    throw new ConnectError("send messages uncompressed until the call is authenticated", Code.ResourceExhausted);
  return length;
}

function deadlineIn(ms: number): number | undefined {
  return ms === 0 ? undefined : performance.now() + ms;
}

async function nextBefore<T>(iterator: AsyncIterator<T>, deadline: number | undefined): Promise<IteratorResult<T>> {
  if (deadline === undefined) return iterator.next();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), Math.max(0, deadline - performance.now()));
  });
  try {
    const next = iterator.next();
    // After the deadline its result is not needed any more.
    next.catch(() => {});
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { BodyBuffer, type BufferLease } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import { tooLarge, tooLate } from "./request-message.ts";

/** Flag and length before each message of a stream: gRPC's, gRPC-Web's and Connect's. */
const prefixBytes = 5;
/** A chunk of the network may hold thousands of small messages: other work gets its turn between so many. */
const messagesPerTurn = 128;

export interface EnvelopeRules {
  /** Largest message, as sent. */
  readonly maxMessageBytes: number;
  /** False: compressed messages are refused, since nothing limits what they inflate to but the listener's maximum. */
  readonly mayCompress: boolean;
  readonly lease: BufferLease;
  /** Until the first message has arrived, and each later one that began. 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Between messages. 0 for no limit. */
  readonly idleTimeoutMs: number;
}

/**
 * Splits the body of a stream into whole messages with their prefixes. Throws RESOURCE_EXHAUSTED for a message that is too
 * large as soon as its length is known, DEADLINE_EXCEEDED for one that takes too long, and as the lease does.
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
  // Incomplete: Connect says so in the protocol's own words.
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
    // After the deadline nobody waits for it any more.
    next.catch(() => {});
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

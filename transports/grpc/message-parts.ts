import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError } from "@appserver/kernel";
import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { isJson } from "./unreadable-message.ts";

/**
 * Maximum number of fields, on all levels, in a message that contains a manifest. Decoding takes about 1 µs for each, without a
 * pause.
 */
const maxParts = 50_000;

/** Flag and length before each message of a stream. */
const envelopeBytes = 5;
const [comma, bracket, brace] = Buffer.from(",[{");

/**
 * Returns INVALID_REQUEST for a manifest with too many parts to decode at once; undefined otherwise. A manifest of 3 MB can
 * contain 250,000 hooks, and decoding them blocks the event loop before any later check counts them.
 */
export function refusalOfParts(
  { input }: UniversalHandler["method"],
  headers: Headers,
  message: Uint8Array,
): AppError | undefined {
  if (!holdsManifest(input)) return undefined;
  const count = isJson(headers) ? openersIn(message) : partsIn(message, input);
  if (count <= maxParts) return undefined;
  return new AppError("INVALID_REQUEST", `the message has more than ${maxParts} parts; the parts of a manifest are limited`);
}

/**
 * Yields the messages of a stream, each in its envelope. Throws INVALID_ARGUMENT for one that `refusalOfParts` refuses. Does
 * not check compressed messages, which only authenticated callers may send.
 */
export async function* withoutManyParts(
  envelopes: AsyncIterable<Uint8Array>,
  method: UniversalHandler["method"],
  headers: Headers,
): AsyncGenerator<Uint8Array> {
  for await (const envelope of envelopes) {
    const isCompressed = ((envelope[0] ?? 0) & 1) === 1;
    const refusal = isCompressed ? undefined : refusalOfParts(method, headers, envelope.subarray(envelopeBytes));
    if (refusal) throw new ConnectError(refusal.message, Code.InvalidArgument);
    yield envelope;
  }
}

/** Returns whether a message contains a manifest, directly or in the first message of a streamed registration. */
function holdsManifest({ fields }: DescMessage, depth = 0): boolean {
  return fields.some(
    ({ message }) =>
      message && (message.typeName === AppManifestSchema.typeName || (depth < 1 && holdsManifest(message, depth + 1))),
  );
}

/** Counts commas and opening brackets, up to the limit. */
function openersIn(message: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < message.length && count <= maxParts; at += 1) {
    const byte = message[at];
    if (byte === comma || byte === bracket || byte === brace) count += 1;
  }
  return count;
}

/** Counts tags without reading values, up to the limit. Stops at malformed input, which the decoder refuses. */
function partsIn(message: Uint8Array, type: DescMessage): number {
  const open: (readonly [Uint8Array, DescMessage])[] = [[message, type]];
  let count = 0;
  try {
    for (let next = open.pop(); next && count <= maxParts; next = open.pop()) {
      const [bytes, { fields }] = next;
      const messages = new Map(fields.flatMap(({ number, message: part }) => (part ? [[number, part] as const] : [])));
      const reader = new BinaryReader(bytes);
      while (reader.pos < reader.len && count <= maxParts) {
        count += 1;
        const [field, wireType] = reader.tag();
        const part = wireType === WireType.LengthDelimited ? messages.get(field) : undefined;
        if (part) open.push([reader.bytes(), part]);
        else reader.skip(wireType, field);
      }
    }
  } catch {
    return count;
  }
  return count;
}

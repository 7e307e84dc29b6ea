import { randomFillSync } from "node:crypto";

/** Random bytes for many ids, fetched together: each call for random bytes is expensive. */
const pool = Buffer.allocUnsafe(16 * 256);
let poolOffset = pool.length;

let lastMillis = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562 §5.7): time-ordered, with a 12-bit counter in `rand_a` so that ids made by one process in one
 * millisecond sort in the order they were made.
 */
export function uuidv7(nowMillis: number = Date.now()): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const bytes = pool.subarray(poolOffset, poolOffset + 16);
  poolOffset += 16;
  if (nowMillis > lastMillis) {
    lastMillis = nowMillis;
    sequence = bytes.readUInt16BE(6) & 0x3ff;
  } else {
    sequence += 1;
    // A full counter borrows from the next millisecond, so that ids neither repeat nor go back.
    if (sequence > 0xfff) {
      lastMillis += 1;
      sequence = 0;
    }
  }
  bytes.writeUIntBE(lastMillis, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

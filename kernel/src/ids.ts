import { randomFillSync } from "node:crypto";

/** Random bytes for many ids, fetched and written as hex together: each call costs more than the rest of an id. */
const bytesPerId = 10;
const pool = Buffer.allocUnsafe(bytesPerId * 256);
let poolHex = "";
let poolOffset = pool.length;

let lastMillis = 0;
let sequence = 0;
/** `lastMillis` as an id begins: `0192a4b3-c5d6`. */
let time = "";

const digits = "0123456789abcdef";
const variants = "89ab";

/**
 * A UUIDv7 (RFC 9562 §5.7): time-ordered, with a 12-bit counter in `rand_a` so that ids made by one process in one
 * millisecond sort in the order they were made.
 */
export function uuidv7(nowMillis: number = Date.now()): string {
  if (poolOffset === pool.length) {
    poolHex = randomFillSync(pool).toString("hex");
    poolOffset = 0;
  }
  const at = 2 * poolOffset;
  const [first = 0, second = 0] = [pool[poolOffset], pool[poolOffset + 1]];
  poolOffset += bytesPerId;
  if (nowMillis > lastMillis) {
    setTime(nowMillis);
    sequence = ((first & 0x3) << 8) | second;
  } else {
    sequence += 1;
    // A full counter borrows from the next millisecond, so that ids neither repeat nor go back.
    if (sequence > 0xfff) {
      setTime(lastMillis + 1);
      sequence = 0;
    }
  }
  const counter = `7${digits[sequence >> 8]}${digits[(sequence >> 4) & 0xf]}${digits[sequence & 0xf]}`;
  return `${time}-${counter}-${variants[first >> 6]}${poolHex.slice(at + 4, at + 7)}-${poolHex.slice(at + 7, at + 19)}`;
}

function setTime(millis: number): void {
  const hex = millis.toString(16).padStart(12, "0");
  lastMillis = millis;
  time = `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

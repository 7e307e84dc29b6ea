import { randomFillSync } from "node:crypto";

/** The position of a piece of work in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** Whether the caller recorded it. */
  readonly isSampled: boolean;
}

// Later versions may add fields after these; `ff` is not a version (W3C Trace Context §3.2.2).
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses the header. Returns undefined if it is absent or malformed: a new trace begins (W3C Trace Context §4.3). */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const match = header === undefined ? null : pattern.exec(header);
  if (!match) return undefined;
  const [, version, traceId = "", spanId = "", flags = "00", more] = match;
  if (version === "00" && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the trace id of a valid `traceparent`, without parsing it again. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** Returns the header, in version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Returns the header of an unrecorded trace: it still connects log lines and events of one request. */
export function newTraceparent(): string {
  return formatTraceparent({ traceId: randomHex(16), spanId: randomHex(8), isSampled: false });
}

/** Random bytes as hex, fetched in batches: a system call for a few bytes at every request costs more than the routing. */
class RandomStock {
  readonly #bytes = Buffer.allocUnsafe(6144);
  #hex = "";
  #used = 0;

  take(digits: number): string {
    if (this.#used + digits > this.#hex.length) {
      this.#hex = randomFillSync(this.#bytes).toString("hex");
      this.#used = 0;
    }
    this.#used += digits;
    return this.#hex.slice(this.#used - digits, this.#used);
  }
}

const stock = new RandomStock();
const zeros = "0".repeat(32);

function randomHex(bytes: number): string {
  const hex = stock.take(2 * bytes);
  // All zero means "none".
  return zeros.startsWith(hex) ? randomHex(bytes) : hex;
}

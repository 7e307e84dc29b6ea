import { createHash } from "node:crypto";

/** IPv4 addresses as numbers, both inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** 29 addresses for containers: those of two releases with `maxReplicas` instances each, and gateways. */
const prefixOfAppNetwork = 27;
const sizeOfAppNetwork = 2 ** (32 - prefixOfAppNetwork);

/** Returns the addresses of an IPv4 network in CIDR form. Undefined for any other text. */
export function rangeOf(cidr: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (!match) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = match.slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255 || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/**
 * Yields the /27 networks of the pool that overlap none of `taken`, each once. It begins at a place that `seed` determines, so
 * that two engines with the same pool rarely use the same network, and continues at the start of the pool.
 */
export function* freeSubnets(pool: Range, seed: string, taken: readonly Range[]): Generator<string> {
  const count = Math.floor((pool.last - pool.first + 1) / sizeOfAppNetwork);
  const start = createHash("sha256").update(seed).digest().readUInt32BE(0) % Math.max(1, count);
  for (let step = 0; step < count; step++) {
    const first = pool.first + ((start + step) % count) * sizeOfAppNetwork;
    const last = first + sizeOfAppNetwork - 1;
    if (!taken.some((range) => range.first <= last && first <= range.last)) yield `${textOf(first)}/${prefixOfAppNetwork}`;
  }
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

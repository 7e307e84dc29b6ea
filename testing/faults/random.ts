import { randomInt } from "node:crypto";

/** Reproducible random numbers: the same seed and lane give the same choices. */
export interface Chance {
  /** From 0 (included) to 1. */
  next(): number;
  below(limit: number): number;
  pick<T>(items: readonly T[]): readonly T[];
}

export function randomSeed(): number {
  return randomInt(2 ** 31);
}

/** mulberry32: small, and good enough to choose moments. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit) => next() * limit,
    // Never empty.
    pick: (items) => {
      const picked = items.filter(() => next() < 0.6);
      return picked.length > 0 ? picked : items.slice(0, 1);
    },
  };
}

import { randomInt } from "node:crypto";

/** The seed of this run. `APPSERVER_FAULT_SEED` repeats the choices of another run, which printed its seed. */
export const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomInt(2 ** 31));

/** Reproducible random numbers: the same seed gives the same choices. */
export interface Chance {
  /** From 0 (included) to 1. */
  next(): number;
  below(limit: number): number;
}

/** mulberry32: small, and good enough to choose moments. */
export function chance(): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (limit) => next() * limit };
}

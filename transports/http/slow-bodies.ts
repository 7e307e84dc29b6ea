import { type Caller, countedCaller } from "@appserver/kernel";

/** Slow bodies at a time, of one caller and of all strangers (docs/interface/limits.md#bodies). */
export const slowBodyLimits = { ofCaller: 64, ofStrangers: 1_024 } as const;

/** Counts the bodies that arrive slowly. Each holds a connection for long, so a caller may have only some of them at a time. */
export class SlowBodies {
  readonly #byCaller = new Map<string, number>();
  #ofStrangers = 0;

  /** Returns what ends the place of one more body. Undefined if there is none left. */
  take(caller: Caller, remoteAddress: string): (() => void) | undefined {
    const key = countedCaller(caller, remoteAddress);
    const isStranger = caller.kind === "anonymous";
    const count = this.#byCaller.get(key) ?? 0;
    if (count >= slowBodyLimits.ofCaller || (isStranger && this.#ofStrangers >= slowBodyLimits.ofStrangers)) return undefined;
    this.#byCaller.set(key, count + 1);
    if (isStranger) this.#ofStrangers += 1;
    return () => {
      const left = (this.#byCaller.get(key) ?? 0) - 1;
      if (left > 0) this.#byCaller.set(key, left);
      else this.#byCaller.delete(key);
      if (isStranger) this.#ofStrangers -= 1;
    };
  }
}

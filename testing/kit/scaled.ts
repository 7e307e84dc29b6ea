/** The variable that sets the share. `npm run test:faults -- --whole` sets it to 1. */
export const scaleVariable = "APPSERVER_FAULT_SCALE";
const scale = Number(process.env[scaleVariable] ?? "0.2");
if (!(scale > 0 && scale <= 1)) throw new RangeError(`${scaleVariable}: expected a number above 0, at most 1`);

/**
 * Returns how many rounds, runs or kills a heavy test does: `whole` with `--whole`; otherwise a fifth, but at
 * least `least`, so that no such test takes more than a minute.
 */
export function scaled(whole: number, least = 1): number {
  return Math.max(least, Math.round(whole * scale));
}

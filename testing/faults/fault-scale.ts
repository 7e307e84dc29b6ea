/**
 * Share of the work that the two largest fault tests do: APPSERVER_FAULT_SCALE, above 0 to 1. The whole of it takes five
 * minutes on two cores; by default a fifth is done, which meets the same faults. Before a release: `APPSERVER_FAULT_SCALE=1`.
 */
const scale = Number(process.env["APPSERVER_FAULT_SCALE"] ?? "0.2");
if (!(scale > 0 && scale <= 1)) throw new RangeError("APPSERVER_FAULT_SCALE: expected a number above 0, at most 1");

export function scaled(whole: number, least = 1): number {
  return Math.max(least, Math.round(whole * scale));
}

const scales: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3, Ti: 1_024 ** 4, Pi: 1_024 ** 5, Ei: 1_024 ** 6 },
};
const unitSeconds: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };

/** Returns the value of a quantity of Kubernetes: `12n`, `256Mi`, `0.5`, `1e3`. Undefined if it is none. */
export function quantityOf(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  const scale = scales[unit];
  return digits === "" || scale === undefined ? undefined : Number(digits) * scale;
}

/** Returns the seconds of a duration of Go: `15.02s`, `1m30s`. Undefined if it is none. */
export function secondsOf(duration: string): number | undefined {
  if (!/^(?:\d{1,20}(?:\.\d{1,20})?(?:h|ms|m|s|us|µs|ns)){1,6}$/.test(duration)) return undefined;
  const parts = [...duration.matchAll(/([\d.]+)(\D+)/g)];
  return parts.reduce((sum, [, value, unit]) => sum + Number(value) * (unitSeconds[unit ?? ""] ?? 0), 0);
}

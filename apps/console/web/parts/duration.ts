import { i18n, locale } from "../i18n.ts";

const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const oneTenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Returns a length of time in the unit that suits it, for example `3.2 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return i18n.t("{ms} ms", { ms: Math.max(0, Math.round(ms)) });
  const seconds = ms / 1_000;
  if (seconds < 60) return i18n.t("{seconds} s", { seconds: (seconds < 10 ? oneTenth : tenths).format(seconds) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return i18n.t("{minutes} min {seconds} s", { minutes, seconds: Math.floor(seconds % 60) });
  return i18n.t("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Returns a time of a request: short ones with tenths of milliseconds. */
export function latency(ms: number): string {
  if (ms >= 1_000) return duration(ms);
  return i18n.t("{ms} ms", { ms: tenths.format(ms < 10 ? ms : Math.round(ms)) });
}

import { i18n } from "../i18n.ts";

/** Returns a length of time in the unit that suits it, for example `3.2 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return i18n.t("{minutes} min {seconds} s", { minutes, seconds: Math.floor(seconds % 60) });
  return i18n.t("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

import { useEffect } from "react";
import { Store, useStore } from "../api/store.ts";
import { i18n, locale } from "../i18n.ts";

const minute: Store<number> = new Store(Date.now());
const stepMs = 15_000;

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });
const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

export function relativeTime(at: Date, now: number): string {
  const seconds = Math.round((at.getTime() - now) / 1_000);
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return Math.abs(seconds) < 10 ? i18n.t("just now") : relative.format(seconds, "second");
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** Shows how long ago something was, with the exact time on hover. */
export function Time({ at }: { readonly at: string }) {
  useStore(minute);
  useEffect(() => {
    const timer = setInterval(() => minute.set(Date.now()), stepMs);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {relativeTime(date, Date.now())}
    </time>
  );
}

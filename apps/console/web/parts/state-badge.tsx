import type { AppState, Severity } from "../generated/operations.ts";
import { i18n, language } from "../i18n.ts";
import { Status, type Tone } from "./status.tsx";
import { words } from "./words.ts";

const tones: Readonly<Record<AppState, Tone>> = {
  REGISTERED: "neutral",
  INSTALLING: "active",
  INSTALLED: "active",
  RUNNING: "good",
  UNHEALTHY: "warning",
  FAILED: "bad",
  UNINSTALLING: "active",
  UNINSTALLED: "neutral",
};

export const appStates = Object.keys(tones) as readonly AppState[];

/** An app that is disabled asks for nothing. */
export function toneOfApp({ state, enabled }: { readonly state: AppState; readonly enabled: boolean }): Tone {
  return enabled ? tones[state] : "neutral";
}

interface StateBadgeProps {
  readonly state: AppState;
  readonly enabled?: boolean;
  readonly isAsleep?: boolean;
  /** Of apps in this state. */
  readonly count?: number;
}

export function StateBadge({ state, enabled = true, isAsleep = false, count }: StateBadgeProps) {
  if (isAsleep && enabled) return <Status>{i18n.t("Asleep")}</Status>;
  const text = enabled ? words(state) : `${words(state)} · ${i18n.t("disabled")}`;
  return (
    <Status tone={toneOfApp({ state, enabled })}>
      {count === undefined ? text : `${count} ${text.toLocaleLowerCase(language)}`}
    </Status>
  );
}

const severities: Readonly<Record<Severity, Tone>> = { INFO: "active", WARNING: "warning", ERROR: "bad" };

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return <Status tone={severities[severity]}>{severity}</Status>;
}

import type { AppState, Severity } from "../generated/operations.ts";
import { Status, type Tone, words } from "./status.tsx";

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
  if (isAsleep && enabled) return <Status>Asleep</Status>;
  const text = enabled ? words(state) : `${words(state)} · disabled`;
  return <Status tone={toneOfApp({ state, enabled })}>{count === undefined ? text : `${count} ${text.toLowerCase()}`}</Status>;
}

const severities: Readonly<Record<Severity, Tone>> = { INFO: "active", WARNING: "warning", ERROR: "bad" };

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return <Status tone={severities[severity]}>{severity}</Status>;
}

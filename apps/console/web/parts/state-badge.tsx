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

interface StateBadgeProps {
  readonly state: AppState;
  readonly enabled?: boolean;
  readonly isAsleep?: boolean;
}

export function StateBadge({ state, enabled = true, isAsleep = false }: StateBadgeProps) {
  if (isAsleep && enabled) {
    return <Status tone="neutral">Asleep</Status>;
  }
  return <Status tone={enabled ? tones[state] : "neutral"}>{enabled ? state : `${words(state)} · disabled`}</Status>;
}

const severities: Readonly<Record<Severity, Tone>> = { INFO: "active", WARNING: "warning", ERROR: "bad" };

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return <Status tone={severities[severity]}>{severity}</Status>;
}

import type { AppState, Severity } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";
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
  return <Status tone={toneOfApp({ state, enabled })}>{count === undefined ? text : countText(state, count)}</Status>;
}

/** The verb agrees with the number. */
function countText(state: AppState, count: number): string {
  switch (state) {
    case "REGISTERED":
      return i18n.t("{count, plural, one {# registered} other {# registered}}", { count });
    case "INSTALLING":
      return i18n.t("{count, plural, one {# installing} other {# installing}}", { count });
    case "INSTALLED":
      return i18n.t("{count, plural, one {# installed} other {# installed}}", { count });
    case "RUNNING":
      return i18n.t("{count, plural, one {# running} other {# running}}", { count });
    case "UNHEALTHY":
      return i18n.t("{count, plural, one {# unhealthy} other {# unhealthy}}", { count });
    case "FAILED":
      return i18n.t("{count, plural, one {# failed} other {# failed}}", { count });
    case "UNINSTALLING":
      return i18n.t("{count, plural, one {# uninstalling} other {# uninstalling}}", { count });
    case "UNINSTALLED":
      return i18n.t("{count, plural, one {# uninstalled} other {# uninstalled}}", { count });
  }
}

const severities: Readonly<Record<Severity, Tone>> = { INFO: "active", WARNING: "warning", ERROR: "bad" };

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return <Status tone={severities[severity]}>{severity}</Status>;
}

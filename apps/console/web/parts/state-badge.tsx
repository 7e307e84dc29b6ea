import { Badge } from "@mantine/core";
import type { AppState, Severity } from "../generated/operations.ts";

const colors: Readonly<Record<AppState, string>> = {
  REGISTERED: "gray.5",
  INSTALLING: "blue",
  INSTALLED: "cyan",
  RUNNING: "green",
  UNHEALTHY: "orange",
  FAILED: "red",
  UNINSTALLING: "blue",
  UNINSTALLED: "gray.5",
};

export const appStates = Object.keys(colors) as readonly AppState[];

interface StateBadgeProps {
  readonly state: AppState;
  readonly enabled?: boolean;
  readonly isAsleep?: boolean;
}

export function StateBadge({ state, enabled = true, isAsleep = false }: StateBadgeProps) {
  if (isAsleep && enabled) {
    return (
      <Badge variant="dot" color="indigo.3" style={{ flexShrink: 0 }}>
        ASLEEP
      </Badge>
    );
  }
  return (
    <Badge variant="dot" color={enabled ? colors[state] : "gray.5"} style={{ flexShrink: 0 }}>
      {enabled ? state : `${state} · disabled`}
    </Badge>
  );
}

const severities: Readonly<Record<Severity, string>> = { INFO: "blue", WARNING: "orange", ERROR: "red" };

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return (
    <Badge variant="dot" color={severities[severity]} style={{ flexShrink: 0 }}>
      {severity}
    </Badge>
  );
}

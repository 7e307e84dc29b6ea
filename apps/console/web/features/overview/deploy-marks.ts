import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type DeployEvent, overviewEventsQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import type { Mark } from "../../parts/chart.tsx";
import { useNames } from "../../parts/use-names.ts";

const none: readonly DeployEvent[] = [];

/** Returns the marks of releases of all apps that began to serve, for viewers who may see events. */
export function useDeployMarks(): readonly Mark[] {
  const { permissions } = useViewer();
  const { data } = useQuery({ ...overviewEventsQuery, enabled: permissions.includes("event:view") });
  const events = data?.deploys ?? none;
  const names = useNames(events.flatMap(({ actor }) => actor ?? []));
  return useMemo(
    () =>
      events.map(({ timestamp, message, actor }) => {
        const by = actor ? names.get(actor) : undefined;
        return { at: Date.parse(timestamp), text: by ? i18n.t("{message} by {by}", { message, by }) : message };
      }),
    [events, names],
  );
}

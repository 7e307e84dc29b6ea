import { Button, Group, SegmentedControl, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { Needs } from "../../parts/states.tsx";
import { RunList } from "./activity-runs.tsx";
import { ScheduleList } from "./activity-schedules.tsx";

const route = getRouteApi("/shell/console/apps/$name/runs");

const TriggerActivityDialog = lazyPart(async () => ({
  default: (await import("./trigger-activity.tsx")).TriggerActivityDialog,
}));

/** The runs of an app's activities, and its schedules. */
export function AppRuns() {
  return (
    <Needs permission="activity:view">
      <RunsOfApp />
    </Needs>
  );
}

function RunsOfApp() {
  const { name } = route.useParams();
  const { view, status } = route.useSearch();
  const navigate = route.useNavigate();
  const { permissions } = useViewer();
  const [triggers, setTriggers] = useState(false);
  const change = (changed: object): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={i18n.t("Activities of the app")}
          data={[
            { value: "runs", label: i18n.t("Runs") },
            { value: "schedules", label: i18n.t("Schedules") },
          ]}
          value={view ?? "runs"}
          onChange={(chosen) => change({ view: chosen === "schedules" ? chosen : undefined })}
        />
        {permissions.includes("activity:trigger") && (
          <Button variant="default" onClick={() => setTriggers(true)}>
            {i18n.t("Trigger an activity")}
          </Button>
        )}
      </Group>
      <div>
        {view === "schedules" ? (
          <ScheduleList app={name} />
        ) : (
          <RunList filter={{ status, app: name }} onChange={change} isOfApp />
        )}
      </div>
      {triggers && (
        <Suspense>
          <TriggerActivityDialog opened app={name} onClose={() => setTriggers(false)} />
        </Suspense>
      )}
    </Stack>
  );
}

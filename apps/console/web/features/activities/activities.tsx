import { Button, Group, Stack, Title } from "@mantine/core";
import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { PageTabs } from "../../parts/page-tabs.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Needs } from "../../parts/states.tsx";

const route = getRouteApi("/shell/console/activities");

const tabs = [
  { value: "runs", title: i18n.t("Runs") },
  { value: "schedules", title: i18n.t("Schedules") },
] as const;

const TriggerActivityDialog = lazyPart(async () => ({
  default: (await import("./trigger-activity.tsx")).TriggerActivityDialog,
}));

/** The head of the pages of activities: the command and the tabs. */
export function Activities() {
  usePageTitle(i18n.t("Activities"));
  return (
    <Needs permission="activity:view">
      <Head />
    </Needs>
  );
}

function Head() {
  const { permissions } = useViewer();
  const { app } = route.useSearch();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [triggers, setTriggers] = useState(false);
  const tab = pathname.endsWith("/schedules") ? "schedules" : "runs";
  const open = (value: typeof tab): void => {
    void navigate({ to: value === "schedules" ? "/console/activities/schedules" : "/console/activities", search: { app } });
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{i18n.t("Activities")}</Title>
        {permissions.includes("activity:trigger") && (
          <Button onClick={() => setTriggers(true)}>{i18n.t("Trigger an activity")}</Button>
        )}
      </Group>
      <PageTabs label={i18n.t("Pages of activities")} tabs={tabs} value={tab} onOpen={open}>
        <Outlet />
      </PageTabs>
      {triggers && (
        <Suspense>
          <TriggerActivityDialog opened app={app} onClose={() => setTriggers(false)} />
        </Suspense>
      )}
    </Stack>
  );
}

import { Button, Group, Stack, Tabs, Title } from "@mantine/core";
import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Needs } from "../../parts/states.tsx";

const route = getRouteApi("/shell/console/activities");

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
  const open = (value: string | null): void => {
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
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={i18n.t("Pages of activities")} mb="md">
          <Tabs.Tab value="runs">{i18n.t("Runs")}</Tabs.Tab>
          <Tabs.Tab value="schedules">{i18n.t("Schedules")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Outlet />
        </Tabs.Panel>
      </Tabs>
      {triggers && (
        <Suspense>
          <TriggerActivityDialog opened app={app} onClose={() => setTriggers(false)} />
        </Suspense>
      )}
    </Stack>
  );
}

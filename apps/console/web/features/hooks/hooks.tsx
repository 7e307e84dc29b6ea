import { Button, Group, Stack, Title } from "@mantine/core";
import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { PageTabs } from "../../parts/page-tabs.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Needs } from "../../parts/states.tsx";
import { useHookTail } from "./declared-events.ts";
import { RecoverDialog } from "./recover-deliveries.tsx";
import { TriggerHookDialog } from "./trigger-hook.tsx";

const route = getRouteApi("/shell/console/hooks");

const tabs = [
  { value: "deliveries", title: i18n.t("Deliveries") },
  { value: "events", title: i18n.t("Events") },
] as const;

/** The head of the pages of hooks: the commands and the tabs. */
export function Hooks() {
  usePageTitle(i18n.t("Hooks"));
  return (
    <Needs permission="hook:view">
      <Head />
    </Needs>
  );
}

function Head() {
  const { permissions } = useViewer();
  const { hook } = route.useSearch();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"trigger" | "recover">();
  useHookTail();
  const mayTrigger = permissions.includes("hook:trigger");
  const tab = pathname.endsWith("/events") ? "events" : "deliveries";
  const open = (value: typeof tab): void => {
    void navigate({ to: value === "events" ? "/console/hooks/events" : "/console/hooks", search: { hook } });
  };
  const close = (): void => setDialog(undefined);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{i18n.t("Hooks")}</Title>
        {mayTrigger && (
          <Group gap="xs">
            <Button variant="default" onClick={() => setDialog("recover")}>
              {i18n.t("Send undelivered events again")}
            </Button>
            <Button onClick={() => setDialog("trigger")}>{i18n.t("Trigger a hook")}</Button>
          </Group>
        )}
      </Group>
      <PageTabs label={i18n.t("Pages of hooks")} tabs={tabs} value={tab} onOpen={open}>
        <Outlet />
      </PageTabs>
      <TriggerHookDialog opened={dialog === "trigger"} hook={hook} onClose={close} />
      <RecoverDialog opened={dialog === "recover"} hook={hook} onClose={close} />
    </Stack>
  );
}

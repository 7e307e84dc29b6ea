import { Trans } from "@lingui/react";
import { Breadcrumbs, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { AppIcon } from "../../parts/app-icon.tsx";
import { OperationStatus, useOperation } from "../../parts/operation-status.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { PageTabs } from "../../parts/page-tabs.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { firstIcon, startOf } from "../hosting/frontend-facts.ts";
import { frontendsQuery } from "../hosting/frontend-queries.ts";
import { AppActions } from "./app-actions.tsx";

const route = getRouteApi("/shell/console/apps/$name");

/** The tabs, by the last part of their path, each with the permission that it needs. */
export const appTabs = [
  { value: "overview", title: i18n.t("Overview"), to: "/console/apps/$name", permission: "app:view" },
  { value: "settings", title: i18n.t("Settings"), to: "/console/apps/$name/settings", permission: "settings:read" },
  { value: "permissions", title: i18n.t("Permissions"), to: "/console/apps/$name/permissions", permission: "app:view" },
  { value: "routes", title: i18n.t("Routes"), to: "/console/apps/$name/routes", permission: "app:view" },
  { value: "logs", title: i18n.t("Logs"), to: "/console/apps/$name/logs", permission: "app:logs" },
  { value: "hooks", title: i18n.t("Hooks"), to: "/console/apps/$name/hooks", permission: "hook:view" },
  { value: "runs", title: i18n.t("Runs"), to: "/console/apps/$name/runs", permission: "activity:view" },
  { value: "events", title: i18n.t("Events"), to: "/console/apps/$name/events", permission: "event:view" },
  { value: "backups", title: i18n.t("Backups"), to: "/console/apps/$name/backups", permission: "app:view" },
] as const;

/** The head of an app's pages: its state, the commands, the operation in progress, and the tabs. */
export function AppPage() {
  return (
    <Needs permission="app:view">
      <Head />
    </Needs>
  );
}

function Head() {
  const { name } = route.useParams();
  const { data: app, error, refetch } = useQuery(appQuery(name));
  const operation = useOperation(app?.operation);
  const { data: frontends } = useQuery(frontendsQuery);
  const frontend = frontends?.find((each) => each.name === name);
  const { pathname } = useLocation();
  const { permissions } = useViewer();
  const navigate = useNavigate();
  usePageTitle(app?.displayName ?? name);
  if (error && app === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (app === undefined) return <Loading />;
  if (app === null)
    return <Empty title={i18n.t("There is no such app")}>{i18n.t("No app has the name {name}.", { name })}</Empty>;
  const last = pathname.split("/").at(4);
  const tab = appTabs.find(({ value }) => value === last)?.value ?? "overview";
  const open = (chosen: typeof tab): void => {
    const { to } = appTabs.find(({ value }) => value === chosen) ?? appTabs[0];
    void navigate({ to, params: { name } });
  };
  return (
    <Stack>
      <Breadcrumbs>
        <PageLink to="/console/apps">{i18n.t("Apps")}</PageLink>
        <Text>{app.displayName}</Text>
      </Breadcrumbs>
      <Group justify="space-between" align="flex-start">
        <Group align="flex-start" wrap="nowrap" miw={0}>
          <AppIcon icon={frontend && firstIcon(frontend)} title={app.displayName} large />
          <div>
            <Group gap="sm">
              <Title order={1}>{app.displayName}</Title>
              <StateBadge state={app.state} enabled={app.enabled} isAsleep={app.asleepSince != null} />
              {app.asleepSince && (
                <Text size="sm" c="dimmed">
                  <Trans id="fell asleep <0/>" components={{ 0: <Time at={app.asleepSince} /> }} />
                </Text>
              )}
            </Group>
            <Text c="dimmed" className="wrap">
              {app.name} · {app.version}
              {app.availableVersion && ` · ${i18n.t("{version} available", { version: app.availableVersion })}`}
            </Text>
            {app.description && <Text className="wrap">{app.description}</Text>}
          </div>
        </Group>
        <Group gap="xs">
          {frontend?.state === "RUNNING" && (
            <Button component={Link} to={startOf(frontend)}>
              {i18n.t("Open")}
            </Button>
          )}
          <AppActions app={app} />
        </Group>
      </Group>
      {operation && <OperationStatus operation={operation} />}
      <PageTabs
        label={i18n.t("Pages of the app")}
        tabs={appTabs.filter(({ value, permission }) => value === tab || permissions.includes(permission))}
        value={tab}
        onOpen={open}
      >
        <Outlet />
      </PageTabs>
    </Stack>
  );
}

import { Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type AppRow, appsPageSize, wallQuery } from "../../api/queries.ts";
import type { AppState } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { appStates, StateBadge, toneOfApp } from "../../parts/state-badge.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";

type Counts = Readonly<Record<AppState, number>> & { readonly all: number };

/** How many apps there are in each state, and the first of them by name, coloured by state. */
export function AppWall() {
  const { data, error, refetch } = useQuery(wallQuery);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const counts = countsOf(data);
  const apps = data.all.edges.map(({ node }) => node);
  return (
    <section aria-label={i18n.t("Apps by state")}>
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <Title order={2}>{i18n.t("{count, plural, one {# app} other {# apps}}", { count: counts.all })}</Title>
          {appStates
            .filter((state) => counts[state] > 0)
            .map((state) => (
              <PageLink key={state} to="/console/apps" search={{ state }} underline="never" size="sm">
                <StateBadge state={state} count={counts[state]} />
              </PageLink>
            ))}
        </Group>
        <PageLink to="/console/apps">{i18n.t("All apps")}</PageLink>
      </Group>
      {counts.all === 0 && <Empty title={i18n.t("No apps yet")}>{i18n.t("Register an app, and it appears here.")}</Empty>}
      <ul className="wall">
        {apps.map((app) => (
          <li key={app.id}>
            <WallTile app={app} />
          </li>
        ))}
      </ul>
      {counts.all > appsPageSize && (
        <Text size="sm" c="dimmed" mt="xs">
          {i18n.t("and {count} more", { count: counts.all - apps.length })}
        </Text>
      )}
    </section>
  );
}

function WallTile({ app }: { readonly app: AppRow }) {
  const { name, displayName, version, asleepSince } = app;
  return (
    <PageLink
      to="/console/apps/$name"
      params={{ name }}
      underline="never"
      c="inherit"
      className="wall-tile"
      data-tone={asleepSince ? "neutral" : toneOfApp(app)}
    >
      <Text component="span" size="sm" fw={500} className="line">
        {displayName}
      </Text>
      <Text component="span" size="xs" c="dimmed" className="line">
        {version}
      </Text>
    </PageLink>
  );
}

function countsOf(data: Readonly<Record<Lowercase<AppState> | "all", { readonly totalCount: number }>>): Counts {
  return {
    all: data.all.totalCount,
    REGISTERED: data.registered.totalCount,
    INSTALLING: data.installing.totalCount,
    // As a filter, INSTALLED also matches these two.
    INSTALLED: data.installed.totalCount - data.running.totalCount - data.unhealthy.totalCount,
    RUNNING: data.running.totalCount,
    UNHEALTHY: data.unhealthy.totalCount,
    FAILED: data.failed.totalCount,
    UNINSTALLING: data.uninstalling.totalCount,
    UNINSTALLED: data.uninstalled.totalCount,
  };
}

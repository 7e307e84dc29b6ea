import { Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { follow } from "../../api/client.ts";
import { countsQuery, eventsQuery, lastHourQuery } from "../../api/queries.ts";
import { queryClient } from "../../api/query-client.ts";
import { useViewer } from "../../api/viewer.ts";
import { type AppState, EventTailDocument } from "../../generated/operations.ts";
import { EventTable } from "../../parts/event-table.tsx";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { appStates, StateBadge } from "../../parts/state-badge.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Attention } from "./attention.tsx";
import { Health } from "./health.tsx";

const Traffic = lazyPart(() => import("./traffic.tsx"));
const recentEvents = 10;

export function Overview() {
  usePageTitle("Overview");
  const { permissions } = useViewer();
  return (
    <Needs permission="app:view">
      <Stack>
        <Title order={1}>Overview</Title>
        <Attention />
        <Health />
        <States />
        {permissions.includes("metrics:view") && <LastHour />}
        {permissions.includes("event:view") && <RecentEvents />}
      </Stack>
    </Needs>
  );
}

function States() {
  const { data, error, refetch } = useQuery(countsQuery);
  if (error && data === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const counts: Readonly<Record<AppState, number>> = {
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
  return (
    <section aria-label="Apps by state">
      <Title order={2} size="h4" mb="sm">
        {data.all.totalCount === 1 ? "1 app" : `${data.all.totalCount} apps`}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {appStates
          .filter((state) => counts[state] > 0)
          .map((state) => (
            <Paper key={state} withBorder p="md">
              <Text fz={28} fw={700}>
                {counts[state]}
              </Text>
              <PageLink to="/console/apps" search={{ state }} underline="never">
                <StateBadge state={state} />
              </PageLink>
            </Paper>
          ))}
      </SimpleGrid>
    </section>
  );
}

function LastHour() {
  const { data, error } = useQuery(lastHourQuery);
  return (
    <section aria-label="Requests of the last hour">
      <Title order={2} size="h4" mb="sm">
        Last hour
      </Title>
      {error && <Failure error={error} />}
      {data && (
        <Suspense fallback={<Loading />}>
          <Traffic proxy={data.proxy} sampledAt={data.sampledAt} />
        </Suspense>
      )}
    </section>
  );
}

function RecentEvents() {
  const query = eventsQuery({}, recentEvents);
  const { data, error } = useInfiniteQuery(query);
  useEffect(
    () => follow(EventTailDocument, {}, () => void queryClient.invalidateQueries({ queryKey: query.queryKey })),
    [query.queryKey],
  );
  const events = data?.pages[0]?.edges.map(({ node }) => node) ?? [];
  return (
    <section aria-label="Recent events">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Recent events
        </Title>
        <PageLink to="/console/events">All events</PageLink>
      </Group>
      {error && <Failure error={error} />}
      {data && events.length === 0 && <Empty title="No events">Events appear here as soon as something happens.</Empty>}
      {events.length > 0 && <EventTable events={events} />}
    </section>
  );
}

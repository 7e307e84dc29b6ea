import { Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { follow } from "../../api/client.ts";
import { lastHourQuery, overviewEventsQuery } from "../../api/queries.ts";
import { queryClient } from "../../api/query-client.ts";
import { useViewer } from "../../api/viewer.ts";
import { EventTailDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { EventTable } from "../../parts/event-table.tsx";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { AppWall } from "./app-wall.tsx";
import { Attention } from "./attention.tsx";
import { useDeployMarks } from "./deploy-marks.ts";
import { Health } from "./health.tsx";

const Traffic = lazyPart(async () => ({ default: (await import("../../parts/charts.ts")).Traffic }));
const shownEvents = 10;

export function Overview() {
  usePageTitle(i18n.t("Overview"));
  const { permissions } = useViewer();
  return (
    <Needs permission="app:view">
      <Stack>
        <Title order={1}>{i18n.t("Overview")}</Title>
        <Health />
        <Attention />
        {permissions.includes("metrics:view") && <LastHour />}
        <AppWall />
        {permissions.includes("event:view") && <RecentEvents />}
      </Stack>
    </Needs>
  );
}

function LastHour() {
  const { data, error } = useQuery(lastHourQuery);
  const marks = useDeployMarks();
  return (
    <section aria-label={i18n.t("Requests of the last hour")}>
      <Title order={2} mb="sm">
        {i18n.t("Last hour")}
      </Title>
      {error && <Failure error={error} />}
      {data && (
        <Suspense fallback={<Loading />}>
          <Traffic proxy={data.proxy} sampledAt={data.sampledAt} marks={marks} />
        </Suspense>
      )}
    </section>
  );
}

function RecentEvents() {
  const { data, error } = useQuery(overviewEventsQuery);
  useEffect(() => {
    const { queryKey } = overviewEventsQuery;
    return follow(EventTailDocument, {}, () => void queryClient.invalidateQueries({ queryKey }));
  }, []);
  const events = data?.recent ?? [];
  return (
    <section aria-label={i18n.t("Recent events")}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{i18n.t("Recent events")}</Title>
        <PageLink to="/console/events">{i18n.t("All events")}</PageLink>
      </Group>
      {error && <Failure error={error} />}
      {data && events.length === 0 && (
        <Empty title={i18n.t("No events")}>{i18n.t("Events appear here as soon as something happens.")}</Empty>
      )}
      {events.length > 0 && <EventTable events={events} most={shownEvents} />}
    </section>
  );
}

import { Trans } from "@lingui/react";
import { Button, Code, Group, Paper, Stack, Switch, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { deliveryError } from "../../parts/delivery-error.ts";
import { DeliveryBadge } from "../../parts/delivery-status.tsx";
import { plainChoices } from "../../parts/filter-choices.ts";
import { AppFilter, FilterField } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { TraceLink } from "../../parts/trace-link.tsx";
import { useSeen } from "../../parts/use-choices.ts";
import { Who } from "../../parts/who.tsx";
import { type EventsFilter, type HookEvent, hookEventQuery, hookEventsQuery } from "./declared-events.ts";
import { deliveriesQuery } from "./hook-queries.ts";

const route = getRouteApi("/shell/console/hooks/events");

/** The stored events of hooks, each with its payload and its deliveries. */
export function HookEvents() {
  const { event, hook, app } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: EventsFilter): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  };
  if (event !== undefined) return <OneEvent id={event} />;
  return <HookEventList filter={{ hook, app }} onChange={change} />;
}

interface ListProps {
  readonly filter: EventsFilter;
  readonly onChange: (changed: EventsFilter) => void;
  /** Whether the page is of the app of the filter, which stays. */
  readonly isOfApp?: boolean;
}

export function HookEventList({ filter, onChange, isOfApp = false }: ListProps) {
  const found = useInfiniteQuery({ ...hookEventsQuery(filter), placeholderData: keepPreviousData });
  const live = found.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  /** What was shown when the user paused the list. */
  const [paused, setPaused] = useState<readonly HookEvent[]>();
  const events = paused ?? live;
  const hooks = useSeen(events.map(({ hookName }) => hookName));
  const change = (changed: EventsFilter): void => {
    setPaused(undefined);
    onChange(changed);
  };
  return (
    <>
      <Filters
        aside={
          <Switch
            label={i18n.t("Live")}
            checked={paused === undefined}
            onChange={({ currentTarget }) => setPaused(currentTarget.checked ? undefined : live)}
            mb={8}
          />
        }
      >
        <FilterField
          label={i18n.t("Hook")}
          placeholder={i18n.t("All hooks")}
          value={filter.hook}
          choices={plainChoices(hooks)}
          onChange={(hook) => change({ hook })}
        />
        {!isOfApp && <AppFilter label={i18n.t("App of the hook")} value={filter.app} onChange={(app) => change({ app })} />}
      </Filters>
      {found.error && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data && events.length === 0 && <NoEvents filter={filter} isOfApp={isOfApp} />}
      {events.length > 0 && (
        <Stack gap="sm" role="feed" aria-label={i18n.t("Events of hooks")} aria-busy={found.isFetchingNextPage}>
          {events.map((each) => (
            <EventCard key={each.id} event={each} />
          ))}
        </Stack>
      )}
      {paused === undefined && <MoreButton query={found} />}
    </>
  );
}

function NoEvents({ filter, isOfApp }: Pick<Required<ListProps>, "filter" | "isOfApp">) {
  const { hook, app } = filter;
  if (isOfApp && !hook)
    return (
      <Empty title={i18n.t("No events yet")}>
        {i18n.t("They appear as soon as a hook of this app is triggered to which another app subscribes.")}
      </Empty>
    );
  if (hook || app) return <Empty title={i18n.t("No event matches")}>{i18n.t("Change the hook or the app.")}</Empty>;
  return (
    <Empty title={i18n.t("No events yet")}>
      {i18n.t("They appear as soon as an app triggers a hook that another app subscribes to. To try one, trigger a hook.")}
    </Empty>
  );
}

/** The event that a delivery leads to. */
function OneEvent({ id }: { readonly id: string }) {
  const { data: event, error, refetch } = useQuery(hookEventQuery(id));
  return (
    <Stack gap="sm">
      <PageLink to="/console/hooks/events" underline="always" size="sm">
        {i18n.t("All events")}
      </PageLink>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {event === undefined && !error && <Loading />}
      {event === null && (
        <Empty title={i18n.t("There is no such event")}>
          {i18n.t("Events are kept for as long as a delivery of them is kept.")}
        </Empty>
      )}
      {event && <EventCard event={event} opened />}
    </Stack>
  );
}

function EventCard({ event, opened = false }: { readonly event: HookEvent; readonly opened?: boolean }) {
  const [isOpen, setOpen] = useState(opened);
  const { id, hookName, sourceApp, triggeredAt, triggeredBy, traceId } = event;
  return (
    <Paper withBorder p="md" component="article" aria-label={`${hookName} ${id}`}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600} className="wrap">
            {hookName}
          </Text>
          <Text size="sm" c="dimmed" className="wrap">
            <Time at={triggeredAt} />
            {triggeredBy && <Trans id=" by <0/>" components={{ 0: <Who id={triggeredBy} /> }} />}
            {sourceApp && <Trans id=", hook of <0/>" components={{ 0: <AppLink name={sourceApp} /> }} />}
            {traceId && " · "}
            {traceId && <TraceLink id={traceId}>{i18n.t("Trace")}</TraceLink>}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          aria-expanded={isOpen}
          aria-label={i18n.t("Details of {hookName}", { hookName })}
          onClick={() => setOpen(!isOpen)}
        >
          {i18n.t("Details")}
        </Button>
      </Group>
      {isOpen && (
        <Stack gap="xs" className="below">
          <Text size="sm" className="wrap">
            <Trans id="Event <0/>" components={{ 0: <Code>{id}</Code> }} />
          </Text>
          <Payload event={event} />
          <EventDeliveries event={event} />
        </Stack>
      )}
    </Paper>
  );
}

function Payload({ event: { id, hookName } }: { readonly event: HookEvent }) {
  const { data, error, refetch } = useQuery(hookEventQuery(id));
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data === null) return <Text size="sm">{i18n.t("The event is no longer kept.")}</Text>;
  return (
    <div>
      <JsonView label={i18n.t("Payload of {hookName}", { hookName })} value={data.data} fileName={`${id}.json`} />
    </div>
  );
}

/** The deliveries of an event: one for each subscriber. */
function EventDeliveries({ event: { id, hookName } }: { readonly event: HookEvent }) {
  const found = useInfiniteQuery(deliveriesQuery({ event: id }));
  const deliveries = found.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  if (found.error && !found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (found.isPending) return <Loading />;
  if (deliveries.length === 0) return <Text size="sm">{i18n.t("No delivery of it is kept.")}</Text>;
  return (
    <div>
      <Stack gap={4} role="list" aria-label={i18n.t("Deliveries of {hookName}", { hookName })}>
        {deliveries.map(({ id: delivery, appName, status, attempt, error }) => (
          <Group key={delivery} gap="xs" role="listitem">
            <DeliveryBadge status={status} />
            <AppLink name={appName} />
            <Text size="sm" className="wrap">
              {i18n.t("{attempt, plural, one {# attempt} other {# attempts}}", { attempt })}
              {error && `: ${deliveryError(error.message)}`}
            </Text>
          </Group>
        ))}
      </Stack>
      <MoreButton query={found} />
      <PageLink to="/console/hooks" search={{ event: id }} size="sm" underline="always">
        {i18n.t("Attempts of the deliveries")}
      </PageLink>
    </div>
  );
}

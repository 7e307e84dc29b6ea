import { Select, Switch, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { follow } from "../../api/client.ts";
import { type EventRow, type EventsFilter, eventsQuery, eventVariables } from "../../api/queries.ts";
import { EventTailDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { EventTable } from "../../parts/event-table.tsx";
import { eventTitle, eventTypes } from "../../parts/event-types.ts";
import { AppFilter } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";

const route = getRouteApi("/shell/console/events");
const maxLive = 500;

export function Events() {
  usePageTitle(i18n.t("Events"));
  return (
    <Needs permission="event:view">
      <Title order={1} mb="md">
        {i18n.t("Events")}
      </Title>
      <EventsOfRoute />
    </Needs>
  );
}

function EventsOfRoute() {
  const navigate = route.useNavigate();
  const change = (changed: EventsFilter): void => {
    void navigate({ search: (before: EventsFilter) => ({ ...before, ...changed }), replace: true });
  };
  return <EventList filter={route.useSearch()} onChange={change} />;
}

interface ListProps {
  readonly filter: EventsFilter;
  readonly onChange: (changed: EventsFilter) => void;
  /** Whether the page is of the app of the filter, which stays. */
  readonly isOfApp?: boolean;
}

export function EventList({ filter, onChange, isOfApp = false }: ListProps) {
  const [paused, setPaused] = useState<Tail>();
  const history = useInfiniteQuery({ ...eventsQuery(filter), placeholderData: keepPreviousData });
  const live = useTail(filter);
  const stored = history.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  const known = new Set(stored.map(({ id }) => id));
  const present = [...live.filter(({ id }) => !known.has(id)), ...stored];
  // The history is read again when apps change. A filter that changes ends the pause.
  const shown = paused && isOf(paused, filter) ? paused : undefined;
  const events = shown?.events ?? present;
  return (
    <>
      <Filter
        filter={filter}
        onChange={onChange}
        isOfApp={isOfApp}
        isLive={shown === undefined}
        onLive={(isLive) => setPaused(isLive ? undefined : { type: filter.type, app: filter.app, events: present })}
      />
      {history.error && <Failure error={history.error} retry={() => void history.refetch()} />}
      {history.isPending && <Loading />}
      {history.data && events.length === 0 && (
        <Empty title={i18n.t("No events")}>
          {filter.type || (filter.app && !isOfApp)
            ? i18n.t("Change the type or the app.")
            : i18n.t("Events appear here as soon as something happens.")}
        </Empty>
      )}
      {events.length > 0 && <EventTable events={events} isOfApp={isOfApp} />}
      {shown === undefined && <MoreButton query={history} />}
    </>
  );
}

/** Returns the events since the page was opened, newest first. */
function useTail({ type, app }: EventsFilter): readonly EventRow[] {
  const [tail, setTail] = useState<Tail>({ type, app, events: [] });
  useEffect(() => {
    return follow(EventTailDocument, eventVariables({ type, app }), ({ systemEvent }) =>
      setTail((before) => {
        const earlier = isOf(before, { type, app }) ? before.events : [];
        return { type, app, events: [systemEvent, ...earlier].slice(0, maxLive) };
      }),
    );
  }, [type, app]);
  return isOf(tail, { type, app }) ? tail.events : [];
}

/** Events that belong to a filter. */
interface Tail extends EventsFilter {
  readonly events: readonly EventRow[];
}

function isOf(tail: Tail, { type, app }: EventsFilter): boolean {
  return tail.type === type && tail.app === app;
}

interface FilterProps extends Required<ListProps> {
  readonly isLive: boolean;
  readonly onLive: (isLive: boolean) => void;
}

function Filter({ filter, onChange: change, isOfApp, isLive, onLive }: FilterProps) {
  return (
    <Filters
      aside={
        <Switch label={i18n.t("Live")} checked={isLive} onChange={(event) => onLive(event.currentTarget.checked)} mb={8} />
      }
    >
      <Select
        label={i18n.t("Type")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        searchable
        clearButtonProps={{ "aria-label": i18n.t("All types") }}
        data={eventTypes.map((value) => ({ value, label: eventTitle(value) }))}
        value={filter.type ?? null}
        onChange={(type) => change({ type: eventTypes.find((each) => each === type) })}
      />
      {!isOfApp && <AppFilter value={filter.app} onChange={(app) => change({ app })} />}
    </Filters>
  );
}

import { Group, Select, Switch, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { follow } from "../api/client.ts";
import { type EventRow, type EventsFilter, eventsQuery, eventVariables } from "../api/queries.ts";
import { EventTailDocument } from "../generated/operations.ts";
import { EventTable } from "../parts/event-table.tsx";
import { eventTitle, eventTypes } from "../parts/event-types.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { Empty, Failure, Loading, Needs } from "../parts/states.tsx";
import { usePageTitle } from "../shell/page-title.ts";

const route = getRouteApi("/shell/console/events");
const typingMs = 250;
const maxLive = 500;

export function Events() {
  usePageTitle("Events");
  return (
    <Needs permission="event:view">
      <EventList />
    </Needs>
  );
}

function EventList() {
  const filter: EventsFilter = route.useSearch();
  const [follows, setFollows] = useState(true);
  const history = useInfiniteQuery({ ...eventsQuery(filter), placeholderData: keepPreviousData });
  const live = useTail(filter, follows);
  const stored = history.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  const known = new Set(stored.map(({ id }) => id));
  const events = [...live.filter(({ id }) => !known.has(id)), ...stored];
  return (
    <>
      <Title order={1} mb="md">
        Events
      </Title>
      <Filter filter={filter} follows={follows} onFollow={setFollows} />
      {history.error && <Failure error={history.error} retry={() => void history.refetch()} />}
      {history.isPending && <Loading />}
      {history.data && events.length === 0 && (
        <Empty title="No events">
          {filter.type || filter.app ? "Change the type or the app." : "Events appear here as soon as something happens."}
        </Empty>
      )}
      {events.length > 0 && <EventTable events={events} />}
      <MoreButton query={history} />
    </>
  );
}

/** Returns the events since the page was opened, newest first. While it is paused, nothing is added. */
function useTail({ type, app }: EventsFilter, follows: boolean): readonly EventRow[] {
  const [tail, setTail] = useState<Tail>({ type, app, events: [] });
  useEffect(() => {
    if (!follows) return;
    return follow(EventTailDocument, eventVariables({ type, app }), ({ systemEvent }) =>
      setTail((before) => {
        const earlier = isOf(before, { type, app }) ? before.events : [];
        return { type, app, events: [systemEvent, ...earlier].slice(0, maxLive) };
      }),
    );
  }, [type, app, follows]);
  return isOf(tail, { type, app }) ? tail.events : [];
}

interface Tail extends EventsFilter {
  readonly events: readonly EventRow[];
}

function isOf(tail: Tail, { type, app }: EventsFilter): boolean {
  return tail.type === type && tail.app === app;
}

interface FilterProps {
  readonly filter: EventsFilter;
  readonly follows: boolean;
  readonly onFollow: (follows: boolean) => void;
}

function Filter({ filter, follows, onFollow }: FilterProps) {
  const navigate = route.useNavigate();
  const change = (changed: EventsFilter): void => {
    void navigate({ search: (before: EventsFilter) => ({ ...before, ...changed }), replace: true });
  };
  const search = useDebouncedCallback((text: string) => change({ app: text || undefined }), typingMs);
  return (
    <Group mb="md" align="flex-end">
      <Select
        label="Type"
        className="filter"
        placeholder="All"
        clearable
        searchable
        clearButtonProps={{ "aria-label": "All types" }}
        data={eventTypes.map((value) => ({ value, label: eventTitle(value) }))}
        value={filter.type ?? null}
        onChange={(type) => change({ type: eventTypes.find((each) => each === type) })}
      />
      <TextInput
        label="App"
        className="filter"
        placeholder="com.example.app"
        defaultValue={filter.app ?? ""}
        onChange={(event) => search(event.currentTarget.value.trim())}
      />
      <Switch label="Live" checked={follows} onChange={(event) => onFollow(event.currentTarget.checked)} mb={8} />
    </Group>
  );
}

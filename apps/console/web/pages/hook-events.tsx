import { Anchor, Button, Code, Group, Paper, Stack, Switch, Text } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { type HookEvent, useSeenHookEvents } from "../api/hook-events.ts";
import { AppLink } from "../parts/app-link.tsx";
import { FilterField } from "../parts/filter-field.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Empty } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { TraceLink } from "../parts/trace-link.tsx";

const route = getRouteApi("/shell/console/hooks/events");

/** The events that arrived while a page of hooks was open, with their payloads. */
export function HookEvents() {
  const { hook } = route.useSearch();
  const navigate = route.useNavigate();
  const live = useSeenHookEvents();
  /** What was shown when the user paused the list. */
  const [paused, setPaused] = useState<readonly HookEvent[]>();
  const seen = paused ?? live;
  const names = [...new Set(seen.map(({ hookName }) => hookName))].sort();
  const events = hook ? seen.filter(({ hookName }) => hookName === hook) : seen;
  return (
    <>
      <Group mb="md" align="flex-end">
        <FilterField
          label="Hook"
          placeholder="com.example.app.created"
          value={hook}
          suggestions={names}
          onChange={(changed) => void navigate({ search: { hook: changed }, replace: true })}
        />
        <Switch
          label="Live"
          checked={paused === undefined}
          onChange={(event) => setPaused(event.currentTarget.checked ? undefined : live)}
          mb={8}
        />
      </Group>
      {events.length === 0 ? (
        <Empty title={hook ? "No event of this hook yet" : "No events yet"}>
          Events appear here with their payload as soon as a hook is triggered, while a page of hooks is open. Past ones are
          listed by their deliveries.
        </Empty>
      ) : (
        <Stack gap="sm" role="feed" aria-label="Events of hooks">
          {events.map((event) => (
            <EventCard key={event.id} event={event} />
          ))}
        </Stack>
      )}
    </>
  );
}

function EventCard({ event }: { readonly event: HookEvent }) {
  const [isOpen, setOpen] = useState(false);
  const { id, hookName, sourceApp, data, triggeredAt, triggeredBy, traceId } = event;
  return (
    <Paper withBorder p="md" component="article" aria-label={`${hookName} ${id}`}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600} className="wrap">
            {hookName}
          </Text>
          <Text size="sm" c="dimmed" className="wrap">
            <Time at={triggeredAt} />
            {triggeredBy && ` by ${triggeredBy}`}
            {sourceApp && (
              <>
                , hook of <AppLink name={sourceApp} />
              </>
            )}
          </Text>
        </div>
        <Group gap="sm">
          <Anchor component={Link} to="/console/hooks" search={{ hook: hookName } as never} size="sm" underline="always">
            Deliveries
          </Anchor>
          <Button
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`Payload of ${hookName}`}
            onClick={() => setOpen(!isOpen)}
          >
            Payload
          </Button>
        </Group>
      </Group>
      <Text size="sm" mt="xs" className="wrap">
        Event <Code>{id}</Code>
        {traceId && (
          <>
            , trace <TraceLink id={traceId} />
          </>
        )}
      </Text>
      {isOpen && (
        <div className="below">
          <JsonView label={`Payload of ${hookName}`} value={data} fileName={`${id}.json`} />
        </div>
      )}
    </Paper>
  );
}

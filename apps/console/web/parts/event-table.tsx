import { Table, Text } from "@mantine/core";
import type { EventRow } from "../api/queries.ts";
import { eventTitle } from "./event-types.ts";
import { ListTable } from "./list-table.tsx";
import { PageLink } from "./page-link.tsx";
import { SeverityBadge } from "./state-badge.tsx";
import { Time } from "./time.tsx";
import { TraceLink } from "./trace-link.tsx";
import { Who } from "./who.tsx";

export function EventTable({ events }: { readonly events: readonly EventRow[] }) {
  return (
    <ListTable minWidth={760} columns={["Time", "Event", "App", "Message", "By"]}>
      {events.map(({ id, timestamp, type, severity, appName, message, actor, traceId }) => (
        <Table.Tr key={id}>
          <Table.Td style={{ whiteSpace: "nowrap" }}>
            <Time at={timestamp} />
          </Table.Td>
          <Table.Td>
            <Text size="sm">{eventTitle(type)}</Text>
            {severity !== "INFO" && <SeverityBadge severity={severity} />}
          </Table.Td>
          <Table.Td style={{ whiteSpace: "nowrap" }}>
            {appName && (
              <PageLink to="/console/apps/$name" params={{ name: appName }} size="sm" underline="always">
                {appName}
              </PageLink>
            )}
          </Table.Td>
          <Table.Td className="wrap">
            {message}{" "}
            {traceId && (
              <TraceLink id={traceId} label={`Trace of the event ${eventTitle(type)}`}>
                trace
              </TraceLink>
            )}
          </Table.Td>
          <Table.Td className="wrap">{actor && <Who id={actor} />}</Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

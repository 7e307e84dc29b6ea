import { Table, Text } from "@mantine/core";
import type { EventRow } from "../api/queries.ts";
import { eventTitle } from "./event-types.ts";
import { PageLink } from "./page-link.tsx";
import { SeverityBadge } from "./state-badge.tsx";
import { Time } from "./time.tsx";
import { TraceLink } from "./trace-link.tsx";

export function EventTable({ events }: { readonly events: readonly EventRow[] }) {
  return (
    <Table.ScrollContainer minWidth={760} type="native">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th>App</Table.Th>
            <Table.Th>Message</Table.Th>
            <Table.Th>By</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
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
              <Table.Td className="wrap">{actor}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

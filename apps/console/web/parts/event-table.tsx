import { Group, Table, Text, UnstyledButton } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import type { EventRow } from "../api/queries.ts";
import { i18n } from "../i18n.ts";
import { duration } from "./duration.ts";
import { type EventGroup, groupsOf, severityOf, tookMs } from "./event-groups.ts";
import { eventTitle } from "./event-types.ts";
import { ListTable } from "./list-table.tsx";
import { PageLink } from "./page-link.tsx";
import { SeverityBadge } from "./state-badge.tsx";
import { Time } from "./time.tsx";
import { TraceLink } from "./trace-link.tsx";
import { Who } from "./who.tsx";

/** Steps that took less were one transaction. */
const noticedMs = 100;

interface EventTableProps {
  readonly events: readonly EventRow[];
  /** Whether all events are of the app of the page. */
  readonly isOfApp?: boolean;
  /** Of groups that are shown. */
  readonly most?: number;
}

/** Events, newest first. Those of an operation are one row, which unfolds. */
export function EventTable({ events, isOfApp = false, most = Number.POSITIVE_INFINITY }: EventTableProps) {
  const groups = useMemo(() => groupsOf(events), [events]);
  const columns = isOfApp
    ? [i18n.t("Time"), i18n.t("Event"), i18n.t("Message"), i18n.t("By")]
    : [i18n.t("Time"), i18n.t("Event"), i18n.t("App"), i18n.t("Message"), i18n.t("By")];
  return (
    <ListTable minWidth={isOfApp ? 640 : 760} columns={columns}>
      {groups.slice(0, most).map((group) => (
        // The oldest event of a group stays the same while others follow.
        <GroupRows key={group.steps.at(-1)?.id} group={group} isOfApp={isOfApp} />
      ))}
    </ListTable>
  );
}

function GroupRows({ group, isOfApp }: { readonly group: EventGroup; readonly isOfApp: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { lead, steps } = group;
  const count = steps.length;
  if (count === 1) return <EventCells event={lead} isOfApp={isOfApp} severity={lead.severity} />;
  return (
    <>
      <EventCells
        event={lead}
        at={steps[0]?.timestamp}
        isOfApp={isOfApp}
        severity={severityOf(group)}
        took={tookMs(group)}
        unfold={
          <UnstyledButton
            className="unfold"
            aria-expanded={isOpen}
            aria-label={i18n.t("{count} steps of: {message}", { count, message: lead.message })}
            onClick={() => setOpen(!isOpen)}
          >
            {i18n.t("{count} steps", { count })}
          </UnstyledButton>
        }
      />
      {isOpen &&
        steps.map((step) => <EventCells key={step.id} event={step} isOfApp={isOfApp} severity={step.severity} isStep />)}
    </>
  );
}

interface CellsProps {
  readonly event: EventRow;
  /** Default: that of the event. */
  readonly at?: string | undefined;
  readonly isOfApp: boolean;
  readonly severity: EventRow["severity"];
  /** Milliseconds. */
  readonly took?: number | undefined;
  readonly unfold?: ReactNode;
  readonly isStep?: boolean;
}

function EventCells({ event, at = event.timestamp, isOfApp, severity, took, unfold, isStep }: CellsProps) {
  const { type, appName, message, actor, traceId } = event;
  return (
    <Table.Tr data-step={isStep}>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Time at={at} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Group gap="xs" wrap="nowrap" component="span">
          {eventTitle(type)}
          {severity !== "INFO" && <SeverityBadge severity={severity} />}
        </Group>
      </Table.Td>
      {!isOfApp && (
        <Table.Td style={{ whiteSpace: "nowrap" }}>
          {appName && !isStep && (
            <PageLink to="/console/apps/$name" params={{ name: appName }} size="sm" underline="always">
              {appName}
            </PageLink>
          )}
        </Table.Td>
      )}
      <Table.Td className="wrap">
        {message}{" "}
        {took !== undefined && took >= noticedMs && (
          <Text span size="sm" c="dimmed">
            {i18n.t("in {duration}", { duration: duration(took) })}
          </Text>
        )}{" "}
        {unfold}{" "}
        {traceId && (
          <TraceLink id={traceId} label={i18n.t("Trace of the event {eventTitle}", { eventTitle: eventTitle(type) })}>
            {i18n.t("trace")}
          </TraceLink>
        )}
      </Table.Td>
      <Table.Td miw="9rem">{actor && <Who id={actor} />}</Table.Td>
    </Table.Tr>
  );
}

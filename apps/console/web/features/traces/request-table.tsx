import { Table, Text } from "@mantine/core";
import { i18n, locale } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { ByClient } from "../../parts/by-client.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Time } from "../../parts/time.tsx";
import { others, Who } from "../../parts/who.tsx";
import { reasonText } from "./reason-text.ts";
import type { RequestRow } from "./request-queries.ts";
import { RequestStatus } from "./request-status.tsx";
import { requestTitle } from "./request-title.ts";

/** Requests, each with a link to its trace. */
export function RequestTable({ requests }: { readonly requests: readonly RequestRow[] }) {
  return (
    <ListTable
      minWidth={760}
      columns={[
        i18n.t("Time"),
        i18n.t("Request"),
        i18n.t("Status"),
        { title: i18n.t("Took"), isNumber: true },
        i18n.t("App"),
        i18n.t("Person"),
      ]}
    >
      {keyed(requests).map(([key, request]) => (
        <Row key={key} request={request} />
      ))}
    </ListTable>
  );
}

function Row({ request }: { readonly request: RequestRow }) {
  const { at, status, reason, durationMs, appName, caller, client, traceId } = request;
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Time at={at} />
      </Table.Td>
      <Table.Td className="wrap">
        <PageLink to="/console/trace/$id" params={{ id: traceId }} size="sm" fw={600} underline="always">
          {requestTitle(request)}
        </PageLink>
      </Table.Td>
      <Table.Td>
        <RequestStatus status={status} reason={reason} />
        {reason && (
          <Text size="xs" c="dimmed" className="wrap" title={reason}>
            {reasonText(reason)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {i18n.t("{duration} ms", { duration: milliseconds.format(durationMs) })}
      </Table.Td>
      <Table.Td className="wrap">{appName ? <AppLink name={appName} /> : <Text size="sm">{i18n.t("platform")}</Text>}</Table.Td>
      <Table.Td className="wrap">
        {caller in others ? (
          <Text size="sm" c="dimmed">
            {others[caller]}
          </Text>
        ) : (
          <PageLink
            to="/console/trace"
            search={{ caller }}
            size="sm"
            underline="always"
            title={i18n.t("Only requests of this person or app")}
          >
            <Who id={caller} isLink={false} />
          </PageLink>
        )}{" "}
        <ByClient client={client} />
      </Table.Td>
    </Table.Tr>
  );
}

const milliseconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** Returns each request with a key: several may have the same ids. */
function keyed(requests: readonly RequestRow[]): readonly (readonly [string, RequestRow])[] {
  const counts = new Map<string, number>();
  return requests.map((request) => {
    const id = `${request.traceId} ${request.requestId}`;
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return [`${id} ${count}`, request];
  });
}

import { Code, Table, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { useViewer } from "../../api/viewer.ts";
import { AppInstancesDocument, type AppInstancesQuery } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

type Deployment = NonNullable<NonNullable<AppInstancesQuery["app"]>["deployment"]>;
type Instance = Deployment["instances"][number];

/** Instances change without an event. */
const pollMs = 10_000;

/** Of the id of an instance. */
const shownIdLength = 12;

function instancesQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name, "instances"],
    queryFn: async () => (await send(AppInstancesDocument, { name })).app?.deployment ?? null,
    refetchInterval: pollMs,
  });
}

/** The copies that an app runs as. Nothing is shown of an app that does not run. */
export function Instances({ name }: { readonly name: string }) {
  const { data } = useQuery(instancesQuery(name));
  const { permissions } = useViewer();
  if (!data || data.instances.length === 0) return null;
  const { instances, wantedInstances } = data;
  const ready = instances.filter((instance) => instance.ready).length;
  return (
    <Section title={i18n.t("Instances")}>
      <Text size="sm" c="dimmed">
        {i18n.t("{ready} of {wanted} ready", { ready, wanted: wantedInstances ?? instances.length })}
      </Text>
      <ListTable
        minWidth={600}
        columns={[
          i18n.t("Instance"),
          i18n.t("Place"),
          i18n.t("Ready"),
          i18n.t("Started"),
          i18n.t("Restarts"),
          i18n.t("Last end"),
        ]}
      >
        {instances.map((instance) => (
          <Row key={instance.id} name={name} instance={instance} hasLog={permissions.includes("app:logs")} />
        ))}
      </ListTable>
    </Section>
  );
}

interface RowProps {
  readonly name: string;
  readonly instance: Instance;
  readonly hasLog: boolean;
}

function Row({ name, instance: { id, place, ready, startedAt, restarts, lastEnd, problem }, hasLog }: RowProps) {
  const shown = id.slice(0, shownIdLength);
  return (
    <Table.Tr>
      <Table.Td>
        {hasLog ? (
          <PageLink
            to="/console/apps/$name/logs"
            params={{ name }}
            search={{ instance: shown }}
            aria-label={i18n.t("Log of {shown}", { shown })}
          >
            {shown}
          </PageLink>
        ) : (
          <Code>{shown}</Code>
        )}
      </Table.Td>
      <Table.Td>{place ?? "-"}</Table.Td>
      <Table.Td>
        <Status>{ready ? i18n.t("yes") : i18n.t("no")}</Status>
        {problem && (
          <Text size="sm" className="wrap">
            {problem}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{startedAt && <Time at={startedAt} />}</Table.Td>
      <Table.Td>{restarts}</Table.Td>
      <Table.Td>{lastEnd && <LastEnd end={lastEnd} />}</Table.Td>
    </Table.Tr>
  );
}

function LastEnd({ end: { at, exitCode, cause } }: { readonly end: NonNullable<Instance["lastEnd"]> }) {
  return (
    <>
      {cause === "memory"
        ? i18n.t("over its memory")
        : exitCode == null
          ? i18n.t("exit code unknown")
          : i18n.t("exit code {exitCode}", { exitCode })}
      , <Time at={at} />
    </>
  );
}

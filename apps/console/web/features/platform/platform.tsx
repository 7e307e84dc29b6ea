import { Anchor, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { Options } from "./options.tsx";
import { type PlatformProcess, platformQuery, processesQuery } from "./platform-queries.ts";

export function PlatformPage() {
  usePageTitle(i18n.t("Platform"));
  const { permissions } = useViewer();
  return (
    <Needs permission="platform:view">
      <Stack>
        <Title order={1}>{i18n.t("Platform")}</Title>
        <Versions />
        {permissions.includes("metrics:view") && <Processes />}
        <Options />
      </Stack>
    </Needs>
  );
}

function Versions() {
  const { data, error, refetch } = useQuery(platformQuery);
  if (error && data === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const links = (
    <Group gap="md">
      {[
        ["/docs/", i18n.t("Documentation")],
        ["/playground", i18n.t("GraphQL playground")],
        ["/api/v2/docs", i18n.t("REST reference")],
        ["/api/v2/openapi.json", i18n.t("OpenAPI document")],
      ].map(([href, text]) => (
        <Anchor key={href} href={href} target="_blank" rel="noopener" underline="always" size="sm">
          {text}
        </Anchor>
      ))}
    </Group>
  );
  return (
    <Section title={i18n.t("Versions")}>
      <FactTable
        facts={[
          [i18n.t("Appserver"), data.version],
          [i18n.t("Node.js"), data.nodeVersion],
          ["APIs", links],
        ]}
      />
    </Section>
  );
}

function Processes() {
  const { data, error, refetch } = useQuery(processesQuery);
  return (
    <Section title={i18n.t("Processes")}>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {i18n.t("No process has reported its values yet. Each does so every 10 s.")}
        </Text>
      )}
      {data !== undefined && data.length > 0 && <ProcessTable processes={data} />}
    </Section>
  );
}

function ProcessTable({ processes }: { readonly processes: readonly PlatformProcess[] }) {
  return (
    <ListTable
      minWidth={820}
      label={i18n.t("Table of processes")}
      columns={[
        i18n.t("Process"),
        i18n.t("Kind"),
        i18n.t("Version"),
        i18n.t("Started"),
        { title: i18n.t("Memory"), isNumber: true },
        { title: i18n.t("Heap in use"), isNumber: true },
        { title: i18n.t("Event loop in use"), isNumber: true },
      ]}
    >
      {processes.map(({ process, kind, version, startedAt, residentBytes, heapUsedBytes, eventLoopUtilization }) => (
        <Table.Tr key={process}>
          <Table.Td className="wrap">{process}</Table.Td>
          <Table.Td>{kind}</Table.Td>
          <Table.Td>{version}</Table.Td>
          <Table.Td>{startedAt && <Time at={startedAt} />}</Table.Td>
          <Table.Td ta="right">{residentBytes === undefined ? "" : shownBytes(residentBytes)}</Table.Td>
          <Table.Td ta="right">{heapUsedBytes === undefined ? "" : shownBytes(heapUsedBytes)}</Table.Td>
          <Table.Td ta="right">
            {eventLoopUtilization === undefined ? "" : `${Math.round(eventLoopUtilization * 100)} %`}
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

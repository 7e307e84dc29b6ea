import { Anchor, Checkbox, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type PlatformOption, type PlatformProcess, platformQuery, processesQuery } from "./platform-queries.ts";

const route = getRouteApi("/shell/console/platform");

export function PlatformPage() {
  usePageTitle(i18n.t("Platform"));
  const { permissions } = useViewer();
  return (
    <Needs permission="platform:view">
      <Stack>
        <Title order={1} size="h2">
          {i18n.t("Platform")}
        </Title>
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
          <Table.Td ta="right">{megabytes(residentBytes)}</Table.Td>
          <Table.Td ta="right">{megabytes(heapUsedBytes)}</Table.Td>
          <Table.Td ta="right">
            {eventLoopUtilization === undefined ? "" : `${Math.round(eventLoopUtilization * 100)} %`}
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "" : `${Math.round(bytes / 1_000_000)} MB`;
}

function Options() {
  const { search, changed } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(platformQuery);
  if (!data) return null;
  const wanted = (search ?? "").toLowerCase();
  const shown = data.options.filter(
    ({ section, name, origin }) => `${section}.${name}`.toLowerCase().includes(wanted) && (!changed || origin !== "default"),
  );
  const sections = [...Map.groupBy(shown, ({ section }) => section)];
  return (
    <Section title={i18n.t("Options in force")}>
      <Stack gap="sm">
        <Group align="end">
          <SearchInput
            value={search}
            label={i18n.t("Search options")}
            placeholder={i18n.t("Part of the name")}
            onSearch={(text) => void navigate({ search: (before) => ({ ...before, search: text }), replace: true })}
          />
          <Checkbox
            label={i18n.t("Only those that are set")}
            checked={changed ?? false}
            mb={8}
            onChange={({ currentTarget: { checked } }) =>
              void navigate({ search: (before) => ({ ...before, changed: checked || undefined }), replace: true })
            }
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {i18n.t("{shown} of {all} options. Secrets are masked.", { shown: shown.length, all: data.options.length })}
        </Text>
        {shown.length === 0 && <Empty title={i18n.t("No option matches")}>{i18n.t("Change the search or the filter.")}</Empty>}
        {sections.map(([section, options]) => (
          <OptionTable key={section} section={section} options={options} />
        ))}
      </Stack>
    </Section>
  );
}

function OptionTable({ section, options }: { readonly section: string; readonly options: readonly PlatformOption[] }) {
  return (
    <div>
      <Title order={3} mb={4}>
        {section}
      </Title>
      <ListTable
        minWidth={620}
        label={i18n.t("Options of {section}", { section })}
        columns={[{ title: i18n.t("Option"), width: "30%" }, { title: i18n.t("Value"), width: "45%" }, i18n.t("From")]}
      >
        {options.map(({ name, value, origin }) => (
          <Table.Tr key={name}>
            <Table.Td className="wrap">{name}</Table.Td>
            <Table.Td className="wrap">
              {value === "" ? (
                <Text span size="sm" c="dimmed">
                  {i18n.t("not set")}
                </Text>
              ) : (
                <Code>{value}</Code>
              )}
            </Table.Td>
            <Table.Td className="wrap">{origin}</Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </div>
  );
}

import { Anchor, Checkbox, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useViewer } from "../../api/viewer.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type PlatformOption, type PlatformProcess, platformQuery, processesQuery } from "./platform-queries.ts";

const route = getRouteApi("/shell/console/platform");

export function PlatformPage() {
  usePageTitle("Platform");
  const { permissions } = useViewer();
  return (
    <Needs permission="platform:view">
      <Stack>
        <Title order={1} size="h2">
          Platform
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
        ["/docs/", "Documentation"],
        ["/playground", "GraphQL playground"],
        ["/api/v2/docs", "REST reference"],
        ["/api/v2/openapi.json", "OpenAPI document"],
      ].map(([href, text]) => (
        <Anchor key={href} href={href} target="_blank" rel="noopener" underline="always" size="sm">
          {text}
        </Anchor>
      ))}
    </Group>
  );
  return (
    <Section title="Versions">
      <FactTable
        facts={[
          ["Appserver", data.version],
          ["Node.js", data.nodeVersion],
          ["APIs", links],
        ]}
      />
    </Section>
  );
}

function Processes() {
  const { data, error, refetch } = useQuery(processesQuery);
  return (
    <Section title="Processes">
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No process has reported its values yet. Each does so every 10 s.
        </Text>
      )}
      {data !== undefined && data.length > 0 && <ProcessTable processes={data} />}
    </Section>
  );
}

function ProcessTable({ processes }: { readonly processes: readonly PlatformProcess[] }) {
  return (
    <Table.ScrollContainer minWidth={820} type="native" role="region" aria-label="Table of processes" tabIndex={0}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Process</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th ta="right">Memory</Table.Th>
            <Table.Th ta="right">Heap in use</Table.Th>
            <Table.Th ta="right">Event loop in use</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
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
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
    <Section title="Options in force">
      <Stack gap="sm">
        <Group align="end">
          <SearchInput
            value={search}
            label="Search options"
            placeholder="Part of the name"
            onSearch={(text) => void navigate({ search: (before) => ({ ...before, search: text }), replace: true })}
          />
          <Checkbox
            label="Only those that are set"
            checked={changed ?? false}
            mb={8}
            onChange={({ currentTarget: { checked } }) =>
              void navigate({ search: (before) => ({ ...before, changed: checked || undefined }), replace: true })
            }
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {shown.length} of {data.options.length} options. Secrets are masked.
        </Text>
        {shown.length === 0 && <Empty title="No option matches">Change the search or the filter.</Empty>}
        {sections.map(([section, options]) => (
          <OptionTable key={section} section={section} options={options} />
        ))}
      </Stack>
    </Section>
  );
}

function OptionTable({ section, options }: { readonly section: string; readonly options: readonly PlatformOption[] }) {
  return (
    <Table.ScrollContainer minWidth={620} type="native" role="region" aria-label={`Options of ${section}`} tabIndex={0}>
      <Table verticalSpacing={6} layout="fixed">
        <Table.Caption style={{ captionSide: "top", textAlign: "start", fontWeight: 600 }}>{section}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Option</Table.Th>
            <Table.Th w="45%">Value</Table.Th>
            <Table.Th>From</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {options.map(({ name, value, origin }) => (
            <Table.Tr key={name}>
              <Table.Td className="wrap">{name}</Table.Td>
              <Table.Td className="wrap">
                {value === "" ? (
                  <Text span size="sm" c="dimmed">
                    not set
                  </Text>
                ) : (
                  <Code>{value}</Code>
                )}
              </Table.Td>
              <Table.Td className="wrap">{origin}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

import { Group, Paper, SimpleGrid, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { checkTitle } from "../../api/check-titles.ts";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { type DependencyStatus, healthQuery } from "./attention-queries.ts";

/** Whether the platform and each of its dependencies respond. */
export function Health() {
  const { data, error, refetch } = useQuery(healthQuery);
  return (
    <section aria-label="Health">
      <Group justify="space-between" mb="sm" align="baseline">
        <Title order={2} size="h4">
          Health
        </Title>
        {data && (
          <Text size="sm" c="dimmed">
            Appserver {data.version}, started <Time at={startOf(data.uptimeSeconds)} />
          </Text>
        )}
      </Group>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: data.checks.length > 4 ? 5 : 4 }}>
          {data.checks.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </SimpleGrid>
      )}
    </section>
  );
}

function startOf(uptimeSeconds: number): string {
  return new Date(Date.now() - uptimeSeconds * 1_000).toISOString();
}

function Check({ check: { name, status, latencyMs, message } }: { readonly check: DependencyStatus }) {
  const isUp = status === "up";
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} className="wrap">
          {checkTitle(name)}
        </Text>
        <Status tone={isUp ? "good" : "bad"}>{status}</Status>
      </Group>
      <Text size="sm" c="dimmed" className="wrap">
        {!isUp && message ? message : typeof latencyMs === "number" ? `responds in ${latencyText(latencyMs)}` : ""}
      </Text>
    </Paper>
  );
}

function latencyText(ms: number): string {
  return ms < 1 ? "under 1 ms" : `${Math.round(ms)} ms`;
}

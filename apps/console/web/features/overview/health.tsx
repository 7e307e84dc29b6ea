import { Trans } from "@lingui/react";
import { Group, Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { checkTitle } from "../../api/check-titles.ts";
import { i18n, language } from "../../i18n.ts";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { type DependencyStatus, healthQuery } from "./attention-queries.ts";

/** Whether the platform and each of its dependencies respond: one line, which unfolds. */
export function Health() {
  const { data, error, refetch } = useQuery(healthQuery);
  const down = data?.checks.filter(({ status }) => status !== "up") ?? [];
  return (
    <section aria-label={i18n.t("Health")}>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <Paper withBorder px="md" py="xs">
          {/* It opens when a service goes down. Until the next change it stays as the viewer has it. */}
          <details key={down.length > 0 ? "down" : "up"} open={down.length > 0}>
            <summary className="health-line">
              <Group gap="xs" component="span" display="inline-flex">
                {down.length > 0 ? <Status tone="bad">{i18n.t("Down")}</Status> : <Status tone="good">{i18n.t("Up")}</Status>}
                <Text component="span" fw={600}>
                  {down.length > 0 ? downText(down) : i18n.t("All {count} services respond", { count: data.checks.length })}
                </Text>
                <Text component="span" size="sm" c="dimmed">
                  <Trans
                    id="Appserver {version}, started <0/>"
                    values={{ version: data.version }}
                    components={{ 0: <Time at={startOf(data.uptimeSeconds)} /> }}
                  />
                </Text>
              </Group>
            </summary>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md" verticalSpacing="xs" my="xs">
              {data.checks.map((check) => (
                <Check key={check.name} check={check} />
              ))}
            </SimpleGrid>
          </details>
        </Paper>
      )}
    </section>
  );
}

function downText(down: readonly DependencyStatus[]): string {
  const names = down.map(({ name }) => checkTitle(name)).join(", ");
  return i18n.t("{count, plural, one {{names} does not respond} other {{names} do not respond}}", {
    count: down.length,
    names,
  });
}

function startOf(uptimeSeconds: number): string {
  return new Date(Date.now() - uptimeSeconds * 1_000).toISOString();
}

function Check({ check: { name, status, latencyMs, message } }: { readonly check: DependencyStatus }) {
  const isUp = status === "up";
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={500} className="wrap">
          {checkTitle(name)}
        </Text>
        <Status tone={isUp ? "good" : "bad"}>{status}</Status>
      </Group>
      <Text size="sm" c="dimmed" className="wrap">
        {!isUp && message
          ? message
          : typeof latencyMs === "number"
            ? i18n.t("responds in {latency}", { latency: latencyText(latencyMs) })
            : ""}
      </Text>
    </div>
  );
}

function latencyText(ms: number): string {
  return ms < 1 ? i18n.t("less than 1 ms") : i18n.t("{duration} ms", { duration: Math.round(ms).toLocaleString(language) });
}

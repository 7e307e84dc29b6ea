import { Trans } from "@lingui/react";
import { Alert, Button, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { appMetricsQuery, appPastQuery, type Deploy } from "../../api/app-tab-queries.ts";
import { type AppDetails, appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { type Facts, FactTable, Section } from "../../parts/facts.tsx";
import { imageText } from "../../parts/image-text.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { PlanDialog, type Planned } from "../../parts/plan-dialog.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { words } from "../../parts/words.ts";
import { AppFiles } from "./app-files.tsx";
import { AppHistory, DeploymentEvents, firstEntries } from "./app-timeline.tsx";
import { useDeployMarks } from "./deploy-marks.ts";
import { Instances } from "./instances.tsx";
import { LastCrash } from "./last-crash.tsx";
import { LastDeploy } from "./last-deploy.tsx";
import { ReleaseSource } from "./release-source.tsx";

const AppCharts = lazyPart(async () => ({ default: (await import("../../parts/charts.ts")).AppCharts }));

const route = getRouteApi("/shell/console/apps/$name/");
const noDeploys: readonly Deploy[] = [];

export function AppOverview() {
  const { name } = route.useParams();
  const { data: app } = useQuery(appQuery(name));
  const [history, setHistory] = useState(firstEntries);
  const [deploymentEvents, setDeploymentEvents] = useState(firstEntries);
  const past = useQuery(appPastQuery(name, { history, deploymentEvents }));
  const deploys = past.data?.deploys ?? noDeploys;
  const { permissions } = useViewer();
  if (!app) return null;
  const [lastDeploy] = deploys;
  return (
    <Stack>
      {app.lastError && app.state !== "RUNNING" && (
        <Alert color="red" variant="outline" title={i18n.t("Last error")}>
          {app.lastError.message}
        </Alert>
      )}
      {lastDeploy && <LastDeploy app={app} deploy={lastDeploy} />}
      {permissions.includes("metrics:view") && <Metrics app={app} deploys={deploys} />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AppFacts app={app} />
        <DeploymentFacts app={app} />
      </SimpleGrid>
      {app.deployment && <Instances name={app.name} />}
      {app.conditions.length > 0 && <Conditions app={app} />}
      {app.deployment?.lastCrash && <LastCrash crash={app.deployment.lastCrash} />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AppHistory past={past} count={history} onMore={setHistory} />
        <Stack>
          <Releases app={app} />
          {app.deployment && <DeploymentEvents past={past} count={deploymentEvents} onMore={setDeploymentEvents} />}
        </Stack>
      </SimpleGrid>
      <AppFiles name={app.name} />
    </Stack>
  );
}

function AppFacts({ app }: { readonly app: AppDetails }) {
  return (
    <Section title={i18n.t("App")}>
      <FactTable
        facts={[
          [
            i18n.t("Version"),
            app.revision > 1
              ? i18n.t("{version} (revision {revision})", { version: app.version, revision: app.revision })
              : app.version,
          ],
          [i18n.t("Available"), app.availableVersion],
          [i18n.t("Registered"), <Time key="registered" at={app.registeredAt} />],
          [i18n.t("Installed"), app.installedAt && <Time at={app.installedAt} />],
          [i18n.t("Changed"), <Time key="changed" at={app.updatedAt} />],
          [i18n.t("Certificate expires"), app.certificateExpiresAt && <Time at={app.certificateExpiresAt} />],
        ]}
      />
      <Details
        facts={[
          [i18n.t("Manifest"), app.manifestDigest],
          [i18n.t("Image"), imageText(app.image)],
          [i18n.t("Certificate"), app.certificateFingerprint],
        ]}
      />
    </Section>
  );
}

function DeploymentFacts({ app: { deployment } }: { readonly app: AppDetails }) {
  return (
    <Section title={i18n.t("Deployment")}>
      {deployment ? (
        <>
          <FactTable
            facts={[
              [i18n.t("State"), words(deployment.state)],
              [i18n.t("Reason"), deployment.reason],
              [i18n.t("Error"), deployment.lastError?.message],
              [i18n.t("Restarts"), deployment.restartCount],
              [i18n.t("Up to date"), deployment.outOfDate ? i18n.t("no, a replacement is pending") : i18n.t("yes")],
              [i18n.t("Changed"), <Time key="changed" at={deployment.updatedAt} />],
            ]}
          />
          <Details
            facts={[
              [i18n.t("Container"), deployment.containerName],
              [i18n.t("Image"), deployment.image],
              [i18n.t("Digest"), deployment.imageDigest],
              [i18n.t("Endpoint"), deployment.endpoint],
              [i18n.t("Driver"), deployment.driver],
              [i18n.t("Generation"), deployment.generation],
            ]}
          />
        </>
      ) : (
        <Text c="dimmed">{i18n.t("Nothing is deployed. Install the app to run it.")}</Text>
      )}
    </Section>
  );
}

function Metrics({ app, deploys }: { readonly app: AppDetails; readonly deploys: readonly Deploy[] }) {
  const { range = "day" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery({ ...appMetricsQuery(app.name, range), placeholderData: keepPreviousData });
  const marks = useDeployMarks(deploys);
  const change = (chosen: string): void => {
    void navigate({ search: { range: chosen === "hour" ? "hour" : undefined }, replace: true });
  };
  return (
    <section aria-label={i18n.t("Charts")}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{range === "hour" ? i18n.t("Last hour") : i18n.t("Last 24 hours")}</Title>
        <SegmentedControl
          size="xs"
          aria-label={i18n.t("Time of the charts")}
          data={[
            { value: "hour", label: i18n.t("Hour") },
            { value: "day", label: i18n.t("Day") },
          ]}
          value={range}
          onChange={change}
        />
      </Group>
      {error && <Failure error={error} />}
      {data && (
        <Suspense fallback={<Loading />}>
          <AppCharts {...data} name={app.name} range={range} marks={marks} isMeasured={app.deployment != null} />
        </Suspense>
      )}
    </section>
  );
}

/** What is only needed to compare it with something else. */
function Details({ facts }: { readonly facts: Facts }) {
  return (
    <details className="below">
      <summary className="details-line">{i18n.t("Details")}</summary>
      <FactTable facts={facts} />
    </details>
  );
}

function Conditions({ app: { conditions } }: { readonly app: AppDetails }) {
  return (
    <Section title={i18n.t("Conditions")}>
      <Stack gap="xs">
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
          <div key={type}>
            <Group gap="xs">
              <Text fw={600}>{type}</Text>
              <Status>{status}</Status>
              <Text size="sm" c="dimmed">
                {reason}, <Time at={lastTransitionTime} />
              </Text>
            </Group>
            <Text size="sm" className="wrap">
              {message}
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function Releases({ app }: { readonly app: AppDetails }) {
  const { permissions } = useViewer();
  const [planned, setPlanned] = useState<Planned>();
  const isInstalled = app.state === "RUNNING" || app.state === "UNHEALTHY" || app.state === "INSTALLED";
  return (
    <Section title={i18n.t("Releases")}>
      <Stack gap="sm">
        {app.releases.map(({ version, revision, manifestDigest, registeredAt, source, servedAt, isCurrent }) => (
          <Group key={manifestDigest} justify="space-between" wrap="nowrap">
            <div>
              <Group gap="xs">
                <Text fw={600}>
                  {revision > 1 ? i18n.t("{version} (revision {revision})", { version, revision }) : version}
                </Text>
                {isCurrent && <Status>{i18n.t("current")}</Status>}
              </Group>
              <Text size="sm" c="dimmed">
                {servedAt ? (
                  <Trans
                    id="registered <0/>, served since <1/>"
                    components={{ 0: <Time at={registeredAt} />, 1: <Time at={servedAt} /> }}
                  />
                ) : (
                  <Trans id="registered <0/>" components={{ 0: <Time at={registeredAt} /> }} />
                )}
              </Text>
              {source && <ReleaseSource source={source} />}
            </div>
            {isInstalled && !isCurrent && servedAt && permissions.includes("app:install") && (
              <Button
                size="xs"
                variant="default"
                flex="none"
                aria-label={i18n.t("Roll back to {version}", { version })}
                onClick={() => setPlanned({ kind: "rollback", name: app.name, version })}
              >
                {i18n.t("Roll back")}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <PlanDialog planned={planned} onClose={() => setPlanned(undefined)} />
    </Section>
  );
}

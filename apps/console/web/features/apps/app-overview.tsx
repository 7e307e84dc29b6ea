import { Alert, Button, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { appMetricsQuery, type Deploy, deploysQuery } from "../../api/app-tab-queries.ts";
import { type AppDetails, appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { type Facts, FactTable, Section } from "../../parts/facts.tsx";
import { imageText } from "../../parts/image-text.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { PlanDialog, type Planned } from "../../parts/plan-dialog.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status, words } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { AppFiles } from "./app-files.tsx";
import { AppHistory, DeploymentEvents } from "./app-timeline.tsx";
import { useDeployMarks } from "./deploy-marks.ts";
import { Instances } from "./instances.tsx";
import { LastCrash } from "./last-crash.tsx";
import { LastDeploy } from "./last-deploy.tsx";
import { ReleaseSource } from "./release-source.tsx";

const AppCharts = lazyPart(() => import("./app-charts.tsx"));

const route = getRouteApi("/shell/console/apps/$name/");
const noDeploys: readonly Deploy[] = [];

export function AppOverview() {
  const { name } = route.useParams();
  const { data: app } = useQuery(appQuery(name));
  const { data: deploys = noDeploys } = useQuery(deploysQuery(name));
  const { permissions } = useViewer();
  if (!app) return null;
  const [lastDeploy] = deploys;
  return (
    <Stack>
      {app.lastError && app.state !== "RUNNING" && (
        <Alert color="red" variant="outline" title="Last error">
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
        <AppHistory name={app.name} />
        <Stack>
          <Releases app={app} />
          {app.deployment && <DeploymentEvents name={app.name} />}
        </Stack>
      </SimpleGrid>
      <AppFiles name={app.name} />
    </Stack>
  );
}

function AppFacts({ app }: { readonly app: AppDetails }) {
  return (
    <Section title="App">
      <FactTable
        facts={[
          ["Version", app.revision > 1 ? `${app.version} (revision ${app.revision})` : app.version],
          ["Available", app.availableVersion],
          ["Registered", <Time key="registered" at={app.registeredAt} />],
          ["Installed", app.installedAt && <Time at={app.installedAt} />],
          ["Changed", <Time key="changed" at={app.updatedAt} />],
          ["Certificate expires", app.certificateExpiresAt && <Time at={app.certificateExpiresAt} />],
        ]}
      />
      <Details
        facts={[
          ["Manifest", app.manifestDigest],
          ["Image", imageText(app.image)],
          ["Certificate", app.certificateFingerprint],
        ]}
      />
    </Section>
  );
}

function DeploymentFacts({ app: { deployment } }: { readonly app: AppDetails }) {
  return (
    <Section title="Deployment">
      {deployment ? (
        <>
          <FactTable
            facts={[
              ["State", words(deployment.state)],
              ["Reason", deployment.reason],
              ["Error", deployment.lastError?.message],
              ["Restarts", deployment.restartCount],
              ["Up to date", deployment.outOfDate ? "no, a replacement is pending" : "yes"],
              ["Changed", <Time key="changed" at={deployment.updatedAt} />],
            ]}
          />
          <Details
            facts={[
              ["Container", deployment.containerName],
              ["Image", deployment.image],
              ["Digest", deployment.imageDigest],
              ["Endpoint", deployment.endpoint],
              ["Driver", deployment.driver],
              ["Generation", deployment.generation],
            ]}
          />
        </>
      ) : (
        <Text c="dimmed">Nothing is deployed. Install the app to run it.</Text>
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
    <section aria-label="Charts">
      <Group justify="space-between" mb="xs">
        <Title order={2}>{range === "hour" ? "Last hour" : "Last 24 hours"}</Title>
        <SegmentedControl
          size="xs"
          aria-label="Time of the charts"
          data={[
            { value: "hour", label: "Hour" },
            { value: "day", label: "Day" },
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
      <summary className="details-line">Details</summary>
      <FactTable facts={facts} />
    </details>
  );
}

function Conditions({ app: { conditions } }: { readonly app: AppDetails }) {
  return (
    <Section title="Conditions">
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
    <Section title="Releases">
      <Stack gap="sm">
        {app.releases.map(({ version, revision, manifestDigest, registeredAt, source, servedAt, isCurrent }) => (
          <Group key={manifestDigest} justify="space-between" wrap="nowrap">
            <div>
              <Group gap="xs">
                <Text fw={600}>{revision > 1 ? `${version} (revision ${revision})` : version}</Text>
                {isCurrent && <Status>current</Status>}
              </Group>
              <Text size="sm" c="dimmed">
                registered <Time at={registeredAt} />
                {servedAt && (
                  <>
                    , served since <Time at={servedAt} />
                  </>
                )}
              </Text>
              {source && <ReleaseSource source={source} />}
            </div>
            {isInstalled && !isCurrent && servedAt && permissions.includes("app:install") && (
              <Button
                size="xs"
                variant="default"
                flex="none"
                aria-label={`Roll back to ${version}`}
                onClick={() => setPlanned({ kind: "rollback", name: app.name, version })}
              >
                Roll back
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <PlanDialog planned={planned} onClose={() => setPlanned(undefined)} />
    </Section>
  );
}

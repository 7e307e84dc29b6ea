import { Trans } from "@lingui/react";
import { Anchor, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { type AppApi, type Route, type RouteTraffic, routesQuery, trafficQuery } from "../../api/app-tab-queries.ts";
import { useViewer } from "../../api/viewer.ts";
import type { BreakerState } from "../../generated/operations.ts";
import { i18n, locale } from "../../i18n.ts";
import { latency } from "../../parts/duration.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";

const route = getRouteApi("/shell/console/apps/$name/routes");

const TryRoute = lazyPart(async () => ({ default: (await import("./try-route.tsx")).TryRoute }));

/** What a manifest without routes has (docs/interface/proxy.md#route-matching). */
const everything = { pattern: "/**", methods: [] } as const;

export function AppRoutes() {
  const { name } = route.useParams();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const { permissions } = useViewer();
  const { data: api, error, refetch } = useQuery(routesQuery(name));
  const [tried, setTried] = useState<Pick<Route, "pattern" | "methods">>();
  const mayMeasure = permissions.includes("metrics:view");
  const { data: traffic, error: unmeasured } = useQuery({ ...trafficQuery(name), enabled: mayMeasure });
  if (error && api === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (api === undefined) return <Loading />;
  if (api === null)
    return (
      <Empty title={i18n.t("No API")}>{i18n.t("The manifest of the app declares no API, so no requests reach it.")}</Empty>
    );
  const shown = api.routes.filter(({ pattern }) => pattern.toLowerCase().includes((search ?? "").toLowerCase()));
  const unmatched = traffic?.find((each) => each.route === "");
  return (
    <Stack>
      <ApiFacts api={api} />
      <SearchInput
        value={search}
        placeholder={i18n.t("Part of the pattern")}
        onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
      />
      {!mayMeasure && (
        <Text c="dimmed">
          <Trans id="You lack <0>metrics:view</0>: you cannot see the requests of the routes." components={{ 0: <Code /> }} />
        </Text>
      )}
      {unmeasured && <Failure error={unmeasured} />}
      {api.routes.length === 0 && (
        <Empty title={i18n.t("No routes")}>
          <Trans
            id="The manifest declares no route, so every path below the base path is forwarded.<0>Try a path</0>"
            components={{
              0: <Button display="block" mx="auto" mt="sm" size="xs" variant="default" onClick={() => setTried(everything)} />,
            }}
          />
        </Empty>
      )}
      {api.routes.length > 0 && shown.length === 0 && (
        <Empty title={i18n.t("No route matches")}>{i18n.t("Change the search.")}</Empty>
      )}
      {shown.length > 0 && <RouteTable routes={shown} traffic={traffic} onTry={setTried} />}
      {unmatched && (
        <Text size="sm" c="dimmed">
          {i18n.t("{requests} requests of the last hour matched no route.", {
            requests: numberText.format(unmatched.requests),
          })}
        </Text>
      )}
      {tried && (
        <Suspense>
          <TryRoute appName={name} api={api} route={tried} onClose={() => setTried(undefined)} />
        </Suspense>
      )}
    </Stack>
  );
}

const breakers: Readonly<Record<BreakerState, readonly [Tone, string]>> = {
  CLOSED: ["good", i18n.t("requests are forwarded")],
  HALF_OPEN: ["warning", i18n.t("single requests test whether the app responds again")],
  OPEN: ["bad", i18n.t("the app failed too often, and requests are refused")],
};

function ApiFacts({ api }: { readonly api: AppApi }) {
  const { basePath, publicUrl, upstreamBaseUrl, openapiUrl, description, breaker } = api;
  const [tone, meaning] = breakers[breaker];
  return (
    <Section title="API">
      <FactTable
        facts={[
          [i18n.t("Public URL"), publicUrl],
          [i18n.t("Base path"), basePath],
          [i18n.t("Backend"), upstreamBaseUrl],
          [
            i18n.t("Breaker"),
            <Group key="breaker" gap="xs">
              <Status tone={tone}>{breaker}</Status>
              <Text size="sm">{meaning}</Text>
            </Group>,
          ],
          [i18n.t("Description"), openapiUrl && <Description key="description" url={openapiUrl} read={description} />],
        ]}
      />
    </Section>
  );
}

interface DescriptionProps {
  readonly url: string;
  readonly read: AppApi["description"];
}

/** Where the description is, and what the platform read of it. */
function Description({ url, read }: DescriptionProps) {
  return (
    <>
      <DescriptionLink url={url} />
      {read && (
        <Text size="sm" c={read.problem === null ? "dimmed" : "var(--mantine-color-error)"} className="wrap">
          {read.problem ??
            i18n.t("{count, plural, one {# operation was} other {# operations were}} read", { count: read.operations })}
        </Text>
      )}
    </>
  );
}

/** The description is the app's: a link of another kind than HTTP is not made. */
function DescriptionLink({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" underline="always">
      {url}
    </Anchor>
  );
}

interface TableProps {
  readonly routes: readonly Route[];
  readonly traffic: readonly RouteTraffic[] | undefined;
  readonly onTry: (route: Route) => void;
}

const facts = [i18n.t("Route"), i18n.t("Access"), i18n.t("Timeout"), i18n.t("Limit")];
const numberText = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const figures = [i18n.t("Requests"), i18n.t("Errors"), "p50", "p99"].map((title) => ({ title, isNumber: true }));

function RouteTable({ routes, traffic, onTry }: TableProps) {
  const byRoute = new Map(traffic?.map((each) => [each.route, each]));
  return (
    <ListTable
      minWidth={traffic ? 1_020 : 720}
      columns={[...facts, ...(traffic ? figures : []), { title: i18n.t("Try it"), isHidden: true }]}
    >
      {routes.map((each) => (
        <Table.Tr key={each.id}>
          <Table.Td className="wrap">
            <Text size="sm" fw={600}>
              {methodsOf(each)}
            </Text>
            <Code>{each.pattern}</Code>
          </Table.Td>
          <Table.Td className="wrap">{accessOf(each)}</Table.Td>
          <Table.Td style={{ whiteSpace: "nowrap" }}>{latency(each.timeoutMs)}</Table.Td>
          <Table.Td>{limitOf(each)}</Table.Td>
          {traffic && <TrafficCells traffic={byRoute.get(each.id)} />}
          <Table.Td ta="right">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={i18n.t("Try it: {name}", { name: nameOf(each) })}
              onClick={() => onTry(each)}
            >
              {i18n.t("Try it")}
            </Button>
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

function methodsOf({ methods }: Route): string {
  return methods.join(", ") || i18n.t("every method");
}

function nameOf(each: Route): string {
  return `${methodsOf(each)} ${each.pattern}`;
}

function TrafficCells({ traffic }: { readonly traffic: RouteTraffic | undefined }) {
  const cell = { ta: "right", style: { whiteSpace: "nowrap" } } as const;
  const { requests = 0, errors = 0, refused = 0, limited = 0, p50Ms = null, p99Ms = null } = traffic ?? {};
  const more = [
    refused > 0 && i18n.t("{refused} refused", { refused: numberText.format(refused) }),
    limited > 0 && i18n.t("{limited} of them limited", { limited: numberText.format(limited) }),
  ].filter(Boolean);
  return (
    <>
      <Table.Td {...cell}>
        {numberText.format(requests)}
        {more.length > 0 && (
          <Text size="xs" c="dimmed">
            {more.join(", ")}
          </Text>
        )}
      </Table.Td>
      <Table.Td {...cell} c={errors > 0 ? "var(--mantine-color-error)" : "inherit"}>
        {numberText.format(errors)}
      </Table.Td>
      <Table.Td {...cell}>{p50Ms === null ? "–" : latency(p50Ms)}</Table.Td>
      <Table.Td {...cell}>{p99Ms === null ? "–" : latency(p99Ms)}</Table.Td>
    </>
  );
}

function accessOf({ isPublic, scopes }: Route): string {
  if (isPublic) return i18n.t("public");
  return scopes.length > 0 ? scopes.join(", ") : i18n.t("signed in");
}

/** What has a limit of its own. */
const keys: Readonly<Record<string, string>> = {
  caller: i18n.t("caller"),
  "user:{user_id}": i18n.t("person"),
  "app:{app_name}": i18n.t("calling app"),
  "ip:{remote_addr}": i18n.t("network address"),
  global: i18n.t("route, whoever calls"),
};

function limitOf({ rateLimit }: Route): string {
  if (!rateLimit) return i18n.t("none");
  const { limit, windowSeconds, burst, keyPattern } = rateLimit;
  const rate =
    windowSeconds === 60
      ? i18n.t("{limit} per minute", { limit })
      : i18n.t("{limit} per {windowSeconds} s", { limit, windowSeconds });
  const key = keys[keyPattern] ?? keyPattern;
  return burst
    ? i18n.t("{rate}, burst {burst}, for each {key}", { rate, burst, key })
    : i18n.t("{rate}, for each {key}", { rate, key });
}

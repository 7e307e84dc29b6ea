import type { PageActions, PageStart } from "@appserver/sdk/page-frame";
import { Trans } from "@lingui/react";
import { Button, Group, Paper, Stack, Text, Title, useComputedColorScheme } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { closedAppsQuery } from "../../api/access-requests.ts";
import { appOperationQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n, locale } from "../../i18n.ts";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { OperationStatus, useOperation } from "../../parts/operation-status.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Empty, Failure, HomeLink, Loading } from "../../parts/states.tsx";
import { sendToApi } from "./api-request.ts";
import { type FrontendPage, frontendAt, frontendQuery, frontendsQuery, isBelow } from "./frontend-queries.ts";
import { hostPage } from "./host-page.ts";
import type { HostedPage } from "./hosted-page.ts";
import { NoAccess } from "./no-access.tsx";
import { PageTrace } from "./page-trace.ts";

/** The page of the app whose route base covers the address. */
export function AppPage() {
  const { pathname } = useLocation();
  const { data: frontends, error, refetch } = useQuery(frontendsQuery);
  if (pathname.startsWith("/console")) return <NoPage />;
  if (frontends === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  const frontend = frontendAt(frontends, pathname);
  return frontend ? <Frontend key={frontend.name} name={frontend.name} /> : <NoFrontend pathname={pathname} />;
}

/** An app that the viewer may not open, or nothing. */
function NoFrontend({ pathname }: { readonly pathname: string }) {
  const { data: closed, error } = useQuery(closedAppsQuery);
  if (closed === undefined) return error ? <NoPage /> : <Loading />;
  const app = closed.find(({ routeBase }) => isBelow(pathname, routeBase));
  return app ? <NoAccess app={app} /> : <NoPage />;
}

function NoPage() {
  usePageTitle(i18n.t("No such page"));
  return (
    <Empty title={i18n.t("There is no such page")}>
      <Trans id="No app that you may use has a page at this address.<0/><1/>" components={{ 0: <br />, 1: <HomeLink /> }} />
    </Empty>
  );
}

function Frontend({ name }: { readonly name: string }) {
  const { data: page, error, refetch } = useQuery(frontendQuery(name));
  usePageTitle(page?.displayName ?? name);
  if (error && !page) return <Failure error={error} retry={() => void refetch()} />;
  if (page === undefined) return <Loading />;
  if (page === null) return <NoPage />;
  if (page.state !== "RUNNING") return <NotRunning page={page} />;
  // Another release, or another right, is another page.
  return <Shown key={`${page.url} ${page.sandboxed}`} page={page} />;
}

const explanations: Readonly<Partial<Record<FrontendPage["state"], string>>> = {
  INSTALLED: i18n.t("The app is starting. This page opens by itself."),
  FAILED: i18n.t("The app has failed. This page opens by itself as soon as it runs again."),
};

function NotRunning({ page: { name, displayName, state } }: { readonly page: FrontendPage }) {
  const { permissions } = useViewer();
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Group gap="sm">
          <Title order={1} size="h3">
            {displayName}
          </Title>
          {permissions.includes("app:view") && <StateBadge state={state} enabled />}
        </Group>
        <Text role="status">
          {explanations[state] ??
            i18n.t("The app does not run at the moment. The platform starts it again, and this page opens by itself.")}
        </Text>
        {permissions.includes("app:view") && (
          <>
            <RunningOperation name={name} />
            <PageLink to="/console/apps/$name" params={{ name }}>
              {state === "FAILED" ? i18n.t("See what happened") : i18n.t("See what is being done")}
            </PageLink>
          </>
        )}
        {state === "FAILED" && permissions.includes("app:logs") && (
          <PageLink to="/console/apps/$name/logs" params={{ name }}>
            {i18n.t("Logs of the app")}
          </PageLink>
        )}
      </Stack>
    </Paper>
  );
}

/** What the platform does with the app now, with its stage. */
function RunningOperation({ name }: { readonly name: string }) {
  const { data } = useQuery(appOperationQuery(name));
  const operation = useOperation(data);
  if (!operation || (operation.done && !operation.error)) return null;
  return (
    <div className="running-operation">
      <OperationStatus operation={operation} />
    </div>
  );
}

type Phase = { readonly state: "loading" | "shown" } | { readonly state: "failed"; readonly message: string };

function Shown({ page }: { readonly page: FrontendPage }) {
  const [attempt, setAttempt] = useState(0);
  const [phase, setPhase] = useState<Phase>({ state: "loading" });
  const place = useRef<HTMLDivElement>(null);
  const hosted = useRef<HostedPage>(undefined);
  const queries = useQueryClient();
  const start = useStart(page);
  const trace = useRef<PageTrace>(undefined);
  const actions = useActions(page, () => trace.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page stays as it is while paths and themes change; an attempt loads it again.
  useEffect(() => {
    if (!place.current) return;
    setPhase({ state: "loading" });
    const began = performance.now();
    const ofPage = new PageTrace(page.name);
    trace.current = ofPage;
    const shown = hostPage(place.current, page, start, actions, {
      mounted: () => {
        ofPage.ended("load", began);
        setPhase({ state: "shown" });
      },
      failed: (message) => setPhase({ state: "failed", message }),
    });
    hosted.current = shown;
    return () => {
      shown.close();
      ofPage.close();
    };
  }, [attempt]);
  const path = useRef(start.path);
  useEffect(() => {
    if (path.current === start.path) return;
    path.current = start.path;
    trace.current?.navigated();
    hosted.current?.setPath(start.path);
  }, [start.path]);
  useEffect(() => hosted.current?.setTheme(start.theme), [start.theme]);
  const again = (): void => {
    void queries.invalidateQueries({ queryKey: ["frontend", page.name] });
    setAttempt((number) => number + 1);
  };
  return (
    <>
      {phase.state === "loading" && <Loading />}
      {phase.state === "failed" && <Crashed page={page} message={phase.message} again={again} />}
      <div ref={place} className="app-page" hidden={phase.state === "failed"} data-app={page.name} />
    </>
  );
}

interface CrashedProps {
  readonly page: FrontendPage;
  readonly message: string;
  readonly again: () => void;
}

function Crashed({ page: { name, displayName, version }, message, again }: CrashedProps) {
  const { permissions } = useViewer();
  return (
    <Paper withBorder p="xl" role="alert">
      <Stack align="center" gap="xs" ta="center">
        <Title order={1} size="h3">
          {i18n.t("The page of {displayName} has failed", { displayName })}
        </Title>
        <Text className="wrap">{message}</Text>
        <Text c="dimmed" size="sm" className="wrap">
          {i18n.t("{name} {version}. The rest of the platform is not affected.", { name, version })}
        </Text>
        <Group>
          <Button onClick={again}>{i18n.t("Load it again")}</Button>
          {permissions.includes("app:view") && (
            <Button variant="default" component={Link} to={`/console/apps/${name}`}>
              {i18n.t("Open the app in the administration")}
            </Button>
          )}
          {permissions.includes("app:logs") && (
            <Button variant="default" component={Link} to={`/console/apps/${name}/logs`}>
              {i18n.t("Logs of the app")}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

function useStart({ routeBase, permissions }: FrontendPage): PageStart {
  const { pathname, searchStr, hash } = useLocation();
  const { subject, displayName } = useViewer();
  const theme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const base = routeBase.replace(/\/+$/, "");
  const below = isBelow(pathname, base) ? pathname.slice(base.length) : "";
  return {
    basePath: base,
    path: `${below === "/" ? "" : below}${searchStr}${hash && `#${hash}`}`,
    viewer: { subject: subject ?? "", displayName: displayName ?? "", permissions },
    theme,
    locale,
  };
}

function useActions({ name, displayName, routeBase }: FrontendPage, traceOf: () => PageTrace | undefined): PageActions {
  const { history } = useRouter();
  const base = routeBase.replace(/\/+$/, "");
  return {
    navigate: (path, replace) => {
      const { origin, pathname, search, hash } = new URL(
        base + (/^[/?#]/.test(path) || path === "" ? path : `/${path}`),
        location.origin,
      );
      if (origin !== location.origin || !isBelow(pathname, base))
        throw new TypeError(`${path} is not a path of ${displayName}`);
      history[replace ? "replace" : "push"](pathname + search + hash);
    },
    send: (path, request) => sendToApi(name, path, request, traceOf()?.traceparent()),
    notify: (message, kind) => {
      if (kind === "error") notifyFailure(displayName)(new Error(message));
      else notify(displayName, message);
    },
  };
}

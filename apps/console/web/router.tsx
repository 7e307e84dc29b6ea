import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { auditFilterOf } from "./features/audit/filter.ts";
import type { LogFilter } from "./features/logs/app-logs.tsx";
import { requestFilterOf } from "./features/traces/request-filter.ts";
import type { DeliveryStatus, RunStatus, SystemEventType } from "./generated/operations.ts";
import { levels } from "./parts/log-line.ts";
import { appsSearch, loginSearch, searched, statusOfDelivery, statusOfRun, textOf, typeOfEvent } from "./search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { PageFailure } from "./shell/page-failure.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ notFoundComponent: NotFound });

const signedIn = createRoute({
  getParentRoute: () => root,
  path: "/console/signed-in",
  component: lazyRouteComponent(() => import("./features/login/signed-in.tsx"), "SignedIn"),
});

const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("./features/home/home.tsx"), "Home"),
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: "/console",
  component: lazyRouteComponent(() => import("./features/overview/overview.tsx"), "Overview"),
});

const apps = createRoute({
  getParentRoute: () => shell,
  path: "/console/apps",
  validateSearch: appsSearch,
  component: lazyRouteComponent(() => import("./features/apps/apps.tsx"), "Apps"),
});

const gallery = createRoute({
  getParentRoute: () => shell,
  path: "/console/gallery",
  component: lazyRouteComponent(() => import("./features/gallery/gallery.tsx"), "Gallery"),
});

const app = createRoute({
  getParentRoute: () => shell,
  path: "/console/apps/$name",
  component: lazyRouteComponent(() => import("./features/apps/app.tsx"), "AppPage"),
});

const appOverview = createRoute({
  getParentRoute: () => app,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { range?: "hour" | undefined } => ({
    range: search["range"] === "hour" ? "hour" : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/apps/app-overview.tsx"), "AppOverview"),
});

const appPermissions = createRoute({
  getParentRoute: () => app,
  path: "/permissions",
  component: lazyRouteComponent(() => import("./features/apps/app-permissions.tsx"), "AppPermissions"),
});

const appSettings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  validateSearch: searched,
  component: lazyRouteComponent(() => import("./features/settings/app-settings.tsx"), "AppSettings"),
});

const appLogs = createRoute({
  getParentRoute: () => app,
  path: "/logs",
  validateSearch: (search: Record<string, unknown>): LogFilter => ({
    search: textOf(search["search"]),
    level: levels.find((each) => each === search["level"]),
    instance: textOf(search["instance"]),
  }),
  component: lazyRouteComponent(() => import("./features/logs/app-logs.tsx"), "AppLogs"),
});

const appRoutes = createRoute({
  getParentRoute: () => app,
  path: "/routes",
  validateSearch: searched,
  component: lazyRouteComponent(() => import("./features/app-routes/app-routes.tsx"), "AppRoutes"),
});

const appHooks = createRoute({
  getParentRoute: () => app,
  path: "/hooks",
  validateSearch: (
    search: Record<string, unknown>,
  ): { view?: "events" | undefined; status?: DeliveryStatus | undefined; hook?: string | undefined } => ({
    view: search["view"] === "events" ? "events" : undefined,
    status: statusOfDelivery(search),
    hook: textOf(search["hook"]),
  }),
  component: lazyRouteComponent(() => import("./features/hooks/app-hooks.tsx"), "AppHooks"),
});

const appRuns = createRoute({
  getParentRoute: () => app,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>): { view?: "schedules" | undefined; status?: RunStatus | undefined } => ({
    view: search["view"] === "schedules" ? "schedules" : undefined,
    status: statusOfRun(search),
  }),
  component: lazyRouteComponent(() => import("./features/activities/app-runs.tsx"), "AppRuns"),
});

const appEvents = createRoute({
  getParentRoute: () => app,
  path: "/events",
  validateSearch: (search: Record<string, unknown>): { type?: SystemEventType | undefined } => ({ type: typeOfEvent(search) }),
  component: lazyRouteComponent(() => import("./features/events/app-events.tsx"), "AppEvents"),
});

const appBackups = createRoute({
  getParentRoute: () => app,
  path: "/backups",
  component: lazyRouteComponent(() => import("./features/backups/app-backups.tsx"), "AppBackups"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/console/audit",
  validateSearch: auditFilterOf,
  component: lazyRouteComponent(() => import("./features/audit/audit.tsx"), "Audit"),
});

const agents = createRoute({
  getParentRoute: () => shell,
  path: "/console/agents",
  component: lazyRouteComponent(() => import("./features/agents/agents.tsx"), "Agents"),
});

const access = createRoute({
  getParentRoute: () => shell,
  path: "/console/access",
  validateSearch: (search: Record<string, unknown>): { subject?: string | undefined } => ({
    subject: textOf(search["subject"]),
  }),
  component: lazyRouteComponent(() => import("./features/access/access.tsx"), "Access"),
});

const accessPeople = createRoute({
  getParentRoute: () => access,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined; subject?: string | undefined } => ({
    search: textOf(search["search"]),
    subject: textOf(search["subject"]),
  }),
  component: lazyRouteComponent(() => import("./features/access/access-people.tsx"), "AccessPeople"),
});

const accessRequests = createRoute({
  getParentRoute: () => access,
  path: "/requests",
  component: lazyRouteComponent(() => import("./features/access/access-requests.tsx"), "AccessRequests"),
});

const accessRoles = createRoute({
  getParentRoute: () => access,
  path: "/roles",
  component: lazyRouteComponent(() => import("./features/access/access-roles.tsx"), "AccessRoles"),
});

const accessServiceAccounts = createRoute({
  getParentRoute: () => access,
  path: "/service-accounts",
  component: lazyRouteComponent(() => import("./features/access/service-accounts.tsx"), "ServiceAccounts"),
});

const accessGroups = createRoute({
  getParentRoute: () => access,
  path: "/groups",
  component: lazyRouteComponent(() => import("./features/access/access-groups.tsx"), "AccessGroups"),
});

const accessPermissions = createRoute({
  getParentRoute: () => access,
  path: "/permissions",
  validateSearch: (search: Record<string, unknown>): { permission?: string | undefined; app?: string | undefined } => ({
    permission: textOf(search["permission"]),
    app: textOf(search["app"]),
  }),
  component: lazyRouteComponent(() => import("./features/access/access-permissions.tsx"), "AccessPermissions"),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: "/console/events",
  validateSearch: (search: Record<string, unknown>): { type?: SystemEventType | undefined; app?: string | undefined } => ({
    type: typeOfEvent(search),
    app: textOf(search["app"]),
  }),
  component: lazyRouteComponent(() => import("./features/events/events.tsx"), "Events"),
});

const notifications = createRoute({
  getParentRoute: () => shell,
  path: "/console/notifications",
  validateSearch: (search: Record<string, unknown>): { target?: string | undefined; status?: DeliveryStatus | undefined } => ({
    target: textOf(search["target"]),
    status: statusOfDelivery(search),
  }),
  component: lazyRouteComponent(() => import("./features/notifications/notifications.tsx"), "Notifications"),
});

const backups = createRoute({
  getParentRoute: () => shell,
  path: "/console/backups",
  component: lazyRouteComponent(() => import("./features/backups/backups.tsx"), "Backups"),
});

const requests = createRoute({
  getParentRoute: () => shell,
  path: "/console/trace",
  validateSearch: requestFilterOf,
  component: lazyRouteComponent(() => import("./features/traces/requests.tsx"), "Requests"),
});

const trace = createRoute({
  getParentRoute: () => shell,
  path: "/console/trace/$id",
  validateSearch: (search: Record<string, unknown>): { logs?: boolean | undefined } => ({
    logs: search["logs"] === false ? false : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/traces/trace.tsx"), "TracePage"),
});

const platform = createRoute({
  getParentRoute: () => shell,
  path: "/console/platform",
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined; changed?: boolean | undefined } => ({
    search: textOf(search["search"]),
    changed: search["changed"] === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/platform/platform.tsx"), "PlatformPage"),
});

const hooks = createRoute({
  getParentRoute: () => shell,
  path: "/console/hooks",
  validateSearch: (search: Record<string, unknown>): { hook?: string | undefined } => ({ hook: textOf(search["hook"]) }),
  component: lazyRouteComponent(() => import("./features/hooks/hooks.tsx"), "Hooks"),
});

const hookDeliveries = createRoute({
  getParentRoute: () => hooks,
  path: "/",
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    status?: DeliveryStatus | undefined;
    app?: string | undefined;
    hook?: string | undefined;
    event?: string | undefined;
  } => ({
    status: statusOfDelivery(search),
    app: textOf(search["app"]),
    hook: textOf(search["hook"]),
    event: textOf(search["event"]),
  }),
  component: lazyRouteComponent(() => import("./features/hooks/hook-deliveries.tsx"), "HookDeliveries"),
});

const hookEvents = createRoute({
  getParentRoute: () => hooks,
  path: "/events",
  validateSearch: (search: Record<string, unknown>): { app?: string | undefined; event?: string | undefined } => ({
    app: textOf(search["app"]),
    event: textOf(search["event"]),
  }),
  component: lazyRouteComponent(() => import("./features/hooks/hook-events.tsx"), "HookEvents"),
});

const activities = createRoute({
  getParentRoute: () => shell,
  path: "/console/activities",
  validateSearch: (search: Record<string, unknown>): { app?: string | undefined } => ({ app: textOf(search["app"]) }),
  component: lazyRouteComponent(() => import("./features/activities/activities.tsx"), "Activities"),
});

const activityRuns = createRoute({
  getParentRoute: () => activities,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { status?: RunStatus | undefined; app?: string | undefined } => ({
    status: statusOfRun(search),
    app: textOf(search["app"]),
  }),
  component: lazyRouteComponent(() => import("./features/activities/activity-runs.tsx"), "ActivityRuns"),
});

const activitySchedules = createRoute({
  getParentRoute: () => activities,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./features/activities/activity-schedules.tsx"), "ActivitySchedules"),
});

const activityRun = createRoute({
  getParentRoute: () => shell,
  path: "/console/activities/runs/$id",
  component: lazyRouteComponent(() => import("./features/activities/activity-run.tsx"), "ActivityRunPage"),
});

/** The pages of the identity provider: without a session, and with nothing of the shell. */
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: loginSearch,
});

const loginPages = [
  createRoute({
    getParentRoute: () => login,
    path: "/",
    component: lazyRouteComponent(() => import("./features/login/login-page.tsx"), "LoginPage"),
  }),
  createRoute({
    getParentRoute: () => login,
    path: "/registration",
    component: lazyRouteComponent(() => import("./features/login/registration-page.tsx"), "RegistrationPage"),
  }),
  createRoute({
    getParentRoute: () => login,
    path: "/recovery",
    component: lazyRouteComponent(() => import("./features/login/recovery-page.tsx"), "RecoveryPage"),
  }),
  createRoute({
    getParentRoute: () => login,
    path: "/verification",
    component: lazyRouteComponent(() => import("./features/login/verification-page.tsx"), "VerificationPage"),
  }),
  createRoute({
    getParentRoute: () => login,
    path: "/settings",
    component: lazyRouteComponent(() => import("./features/login/settings-page.tsx"), "SettingsPage"),
  }),
  createRoute({
    getParentRoute: () => login,
    path: "/error",
    component: lazyRouteComponent(() => import("./features/login/error-page.tsx"), "ErrorPage"),
  }),
];

/** Every other path: those of apps' pages. */
const appPage = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: lazyRouteComponent(() => import("./features/hosting/app-page.tsx"), "AppPage"),
});

const routeTree = root.addChildren([
  signedIn,
  login.addChildren(loginPages),
  shell.addChildren([
    home,
    overview,
    apps,
    gallery,
    app.addChildren([appOverview, appSettings, appPermissions, appRoutes, appLogs, appHooks, appRuns, appEvents, appBackups]),
    hooks.addChildren([hookDeliveries, hookEvents]),
    notifications,
    backups,
    activities.addChildren([activityRuns, activitySchedules]),
    activityRun,
    access.addChildren([accessPeople, accessRequests, accessRoles, accessGroups, accessServiceAccounts, accessPermissions]),
    events,
    requests,
    trace,
    audit,
    agents,
    platform,
    appPage,
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: "intent", defaultErrorComponent: PageFailure });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

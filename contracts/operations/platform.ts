import { type Operations, query, subscription } from "./operation.ts";
import { ofApp, replies } from "./rest-endpoint.ts";

const ofPages = { appctl: { none: "browsers load pages" } } as const;
const eachSeesItsOwn = { none: "each caller sees its own pages" } as const;
const ofRest = { none: "it describes REST" } as const;

/** Operations on the platform itself: events, audit, traces, pages, health and descriptions. */
export const platformOwnOperations: Operations = {
  systemEvents: {
    ...query,
    permission: "event:view",
    appctl: ["events"],
    rest: {
      url: "/api/v2/events",
      renamed: { types: "type", appName: "app" },
      stream: { field: "systemEvent", after: "after" },
      tag: "events",
      summary: "Lists events of the last 30 days, newest first, or streams them from now on",
      reply: replies.page,
    },
  },
  systemEventById: {
    ...query,
    permission: "event:view",
    appctl: { none: "the console and REST show it" },
    errors: ["NOT_FOUND"],
    rest: { url: "/api/v2/events/:id", path: { id: "id" }, tag: "events", summary: "Reads an event", reply: replies.value },
  },
  systemEvent: { ...subscription, permission: "event:view", absent: "REST streams `systemEvents`", appctl: ["events"] },
  auditLog: {
    ...query,
    permission: "audit:view",
    appctl: ["audit"],
    rest: { url: "/api/v2/audit-log", tag: "audit", summary: "Lists audit entries", reply: replies.page },
  },
  trace: {
    ...query,
    permission: "trace:view",
    appctl: ["trace"],
    errors: ["NOT_FOUND"],
    rest: {
      url: "/api/v2/traces/:id",
      path: { id: "id" },
      tag: "traces",
      summary: "Finds a request with everything that it caused, by its request id or trace id",
      reply: replies.value,
    },
  },
  requests: {
    ...query,
    permission: "trace:view",
    appctl: ["requests"],
    rest: {
      url: "/api/v2/requests",
      renamed: { appName: "app" },
      tag: "traces",
      summary: "Lists requests of the last hour, newest first",
      reply: replies.page,
    },
  },
  recordPage: {
    graphql: "mutation",
    permission: { none: "users add to the traces of pages that they see" },
    absent: "only for the console, which hosts the pages",
    appctl: { none: "only for the console" },
  },
  metrics: {
    ...query,
    permission: "metrics:view",
    appctl: ["metrics"],
    rest: {
      url: "/api/v2/metrics",
      tag: "platform",
      summary: "Reads what happened within the last minutes, up to a day",
      reply: replies.value,
    },
  },
  platform: {
    ...query,
    permission: "platform:view",
    appctl: { none: "operators use `appserver config print`" },
    rest: {
      url: "/api/v2/platform",
      tag: "platform",
      summary: "Reads the version and the options of the platform",
      reply: replies.value,
    },
  },
  health: {
    ...query,
    permission: { none: "probes read it" },
    appctl: { none: "probes read /ready" },
    rest: { url: "/api/v2/health", tag: "platform", summary: "Reads the health of the platform", reply: replies.value },
  },
  frontendFeed: {
    ...query,
    ...ofPages,
    permission: eachSeesItsOwn,
    rest: {
      url: "/api/v2/frontend/feed",
      tag: "platform",
      summary: "Lists the pages that the caller may see, with all that a shell needs to load them",
      reply: replies.items,
    },
  },
  closedApps: {
    ...query,
    permission: eachSeesItsOwn,
    appctl: { none: "the home page lists them" },
    rest: {
      url: "/api/v2/frontend/closed",
      tag: "platform",
      summary: "Lists the apps with pages that the caller may not open",
      reply: replies.items,
    },
  },
  frontendPage: {
    ...query,
    ...ofPages,
    app: "name",
    appctl: ["open"],
    permission: eachSeesItsOwn,
    errors: ["NOT_FOUND"],
    rest: {
      ...ofApp,
      url: "/api/v2/apps/:id/page",
      summary: "Reads the page of an app, with all that a shell needs to load it",
      reply: replies.value,
    },
  },
  viewer: {
    ...query,
    permission: { none: "every caller may ask who it is" },
    appctl: ["whoami"],
    rest: { url: "/api/v2/viewer", tag: "platform", summary: "Reads who the caller is", reply: replies.value },
  },
  docs: { permission: ofRest, rest: true, absent: "a page for people", appctl: { none: "a page for people" } },
  openApi: {
    permission: ofRest,
    rest: true,
    absent: "GraphQL describes itself",
    appctl: { none: "for programs that call REST" },
  },
};

// Schemas of the responses, from which fastify compiles their serializers.

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };
const integer = { type: "integer" };
const boolean = { type: "boolean" };

const briefFields = {
  id: text,
  appId: text,
  name: text,
  displayName: text,
  version: text,
  revision: integer,
  availableVersion: textOrNull,
  availableDigest: textOrNull,
  state: text,
  enabled: boolean,
  health: text,
  registeredAt: text,
  installedAt: textOrNull,
  updatedAt: text,
  manifestDigest: text,
  certificateFingerprint: text,
  certificateExpiresAt: textOrNull,
};

export const pageSchema = {
  type: "object",
  properties: {
    items: { type: "array", items: { type: "object", properties: briefFields } },
    nextCursor: textOrNull,
    totalCount: integer,
  },
};

const anything = {};
const list = { type: "array", items: anything };

const api = {
  type: "object",
  properties: {
    basePath: text,
    publicUrl: text,
    upstreamBaseUrl: text,
    openapiUrl: textOrNull,
    forwardHeaders: list,
    routes: list,
    breaker: text,
  },
};

const operation = {
  type: "object",
  properties: {
    id: text,
    appName: text,
    kind: text,
    version: text,
    actor: textOrNull,
    stage: text,
    progress: { type: "number" },
    done: boolean,
    error: anything,
    reason: textOrNull,
    startedAt: text,
    finishedAt: textOrNull,
  },
};

const transition = {
  type: "object",
  properties: { from: textOrNull, to: text, reason: text, actor: textOrNull, at: text },
};

const release = {
  type: "object",
  properties: {
    version: text,
    revision: integer,
    manifestDigest: text,
    imageDigest: textOrNull,
    registeredAt: text,
    registeredBy: textOrNull,
    servedAt: textOrNull,
    isCurrent: boolean,
  },
};

export const appSchema = {
  type: "object",
  properties: {
    ...briefFields,
    requiredPermissions: list,
    dependencies: list,
    ui: anything,
    api,
    assets: list,
    deployment: anything,
    conditions: list,
    lastError: anything,
    operation,
    history: { type: "array", items: transition },
    deploymentEvents: list,
    releases: { type: "array", items: release },
    versionHistory: list,
    storage: list,
    database: anything,
  },
};

// The peer of the bench `rest`: fastify with response schemas, over the same rows of the same PostgreSQL. Session and permission are
// in a map and a set of its process, and an app costs one SELECT. What the platform reads from a manifest it takes from memory, and
// what no app of the bench has is a constant.
import { X509Certificate } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { appSchema, pageSchema } from "./schemas.mjs";

const { PEER_DATABASE = "{}", PEER_TOKEN = "", PEER_UPSTREAM = "" } = process.env;
const database = new pg.Pool({ ...JSON.parse(PEER_DATABASE), max: 10 });
const sessions = new Map([[`Bearer ${PEER_TOKEN}`, "someone"]]);
const permissions = new Set(["someone app:view"]);

const columns = `id, name, display_name, version, revision, available_version, available_digest, state, enabled, health, registered_at,
  installed_at, updated_at, manifest_digest, certificate_fingerprint`;

const page = `select ${columns}, (select count(*)::int from marketplace.apps) as total from marketplace.apps
  where $1::text is null or name collate "C" > $1 order by name collate "C" limit $2`;

const one = `select ${columns}, last_error, conditions,
  (select row_to_json(found) from (select * from marketplace.operations where app_id = app.id
    order by done, started_at desc, id desc limit 1) as found) as operation,
  (select json_agg(found) from (select * from marketplace.transitions where app_id = app.id
    order by id desc limit 20) as found) as history,
  (select json_agg(found) from (select version, revision, digest, image_digest, registered_at, registered_by, served_at
    from marketplace.manifests where app_id = app.id order by registered_at desc) as found) as releases
  from marketplace.apps as app where id = $1`;

/** When the certificate of each app expires, by the app. All are registered before the peer starts. */
const expiry = new Map(
  (await database.query("select app_id, certificate from marketplace.pinned_certificates")).rows.map((row) => [
    row.app_id,
    new X509Certificate(row.certificate).validToDate.toISOString(),
  ]),
);

function toBriefApp(row) {
  return {
    id: row.id,
    appId: row.id,
    name: row.name,
    displayName: row.display_name,
    version: row.version,
    revision: row.revision,
    availableVersion: row.available_version,
    availableDigest: row.available_digest,
    state: row.state,
    enabled: row.enabled,
    health: row.health,
    registeredAt: row.registered_at.toISOString(),
    installedAt: row.installed_at?.toISOString() ?? null,
    updatedAt: row.updated_at.toISOString(),
    manifestDigest: row.manifest_digest,
    certificateFingerprint: row.certificate_fingerprint,
    certificateExpiresAt: expiry.get(row.id) ?? null,
  };
}

function toApp(row) {
  return {
    ...toBriefApp(row),
    requiredPermissions: [],
    dependencies: [],
    ui: null,
    api: {
      basePath: `/api/apps/${row.name}`,
      publicUrl: `/api/apps/${row.name}`,
      upstreamBaseUrl: PEER_UPSTREAM,
      openapiUrl: null,
      forwardHeaders: [],
      routes: [],
      breaker: "CLOSED",
    },
    assets: [],
    deployment: null,
    conditions: row.conditions,
    lastError: row.last_error,
    operation: toOperation(row.operation),
    history: row.history.map(({ from_state, to_state, reason, actor, at }) => {
      return { from: from_state, to: to_state, reason, actor, at: toTime(at) };
    }),
    deploymentEvents: [],
    releases: row.releases.map((release) => toRelease(release, row.manifest_digest)),
    versionHistory: [],
    storage: [],
    database: null,
  };
}

function toOperation({ id, app_name, kind, version, actor, stage, progress, done, error, reason, started_at, finished_at }) {
  const times = { startedAt: toTime(started_at), finishedAt: toTime(finished_at) };
  return { id, appName: app_name, kind, version, actor, stage, progress, done, error, reason: reason ?? null, ...times };
}

function toRelease({ version, revision, digest, image_digest, registered_at, registered_by, served_at }, current) {
  return {
    version,
    revision,
    manifestDigest: digest,
    imageDigest: image_digest,
    registeredAt: toTime(registered_at),
    registeredBy: registered_by,
    servedAt: toTime(served_at),
    isCurrent: digest === current,
  };
}

/** Times within JSON of PostgreSQL are texts. */
function toTime(text) {
  return text === null ? null : new Date(text).toISOString();
}

const app = Fastify();
app.addHook("onRequest", async (request, reply) => {
  const user = sessions.get(request.headers.authorization ?? "");
  if (user === undefined || !permissions.has(`${user} app:view`)) return reply.code(401).send({ error: "refused" });
});
app.get("/api/v2/apps", { schema: { response: { 200: pageSchema } } }, async ({ query: { first = "50", after } }) => {
  const size = Number(first);
  const { rows } = await database.query(page, [after ? nameOf(after) : null, size + 1]);
  const shown = rows.slice(0, size);
  return {
    items: shown.map(toBriefApp),
    nextCursor: rows.length > size ? cursorOf(shown.at(-1).name) : null,
    totalCount: rows[0]?.total ?? 0,
  };
});
app.get("/api/v2/apps/:id", { schema: { response: { 200: appSchema } } }, async ({ params: { id } }, reply) => {
  const { rows } = await database.query(one, [id]);
  return rows[0] ? toApp(rows[0]) : reply.code(404).send({ error: "unknown" });
});
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.(app.server.address().port);
process.on("disconnect", () => process.exit());

function cursorOf(name) {
  return Buffer.from(`app:${name}`).toString("base64url");
}

function nameOf(cursor) {
  return Buffer.from(cursor, "base64url").toString("utf8").slice("app:".length);
}

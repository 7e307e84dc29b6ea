// The peer of the bench `graphql`: mercurius with JIT on fastify, over the same rows of the same PostgreSQL. It checks the session
// and the permission from its cache, as the platform does, and asks the identity and authorization servers on a miss.
import { createHash } from "node:crypto";
import Fastify from "fastify";
import mercurius from "mercurius";
import pg from "pg";

const { PEER_PORT, PEER_DATABASE, PEER_WHOAMI, PEER_CHECK } = process.env;
const database = new pg.Pool({ ...JSON.parse(PEER_DATABASE ?? "{}"), max: 10 });
const sessionMs = 1_000;
const permissionMs = 5_000;

const schema = `
  type App {
    id: ID!
    name: String!
    displayName: String!
    version: String!
    state: String!
    health: String!
    enabled: Boolean!
    registeredAt: String!
  }
  type AppEdge { node: App! cursor: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type AppConnection { edges: [AppEdge!]! pageInfo: PageInfo! }
  type Query {
    apps(first: Int = 50, after: String): AppConnection!
    app(name: String!): App
  }
`;

const columns = "id, name, display_name, version, state, health, enabled, registered_at";

function toApp(row) {
  return {
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    version: row.version,
    state: row.state,
    health: row.health,
    enabled: row.enabled,
    registeredAt: row.registered_at.toISOString(),
  };
}

const resolvers = {
  Query: {
    async apps(_, { first, after }, { subject }) {
      await requirePermission(subject);
      const { rows } = await database.query(
        `select ${columns} from marketplace.apps where ($1::text is null or name collate "C" > $1)
         order by name collate "C" limit $2`,
        [after ?? null, first + 1],
      );
      const edges = rows.slice(0, first).map((row) => ({ node: toApp(row), cursor: cursorOf(row.name) }));
      return { edges, pageInfo: { hasNextPage: rows.length > first, endCursor: edges.at(-1)?.cursor ?? null } };
    },
    async app(_, { name }, { subject }) {
      await requirePermission(subject);
      const { rows } = await database.query(`select ${columns} from marketplace.apps where name = $1`, [name]);
      return rows[0] ? toApp(rows[0]) : null;
    },
  },
};

function cursorOf(name) {
  return Buffer.from(`app:${name}`).toString("base64url");
}

/** Values by key, each with the time until which it holds. */
const cached = new Map();

async function fromCache(key, ms, load) {
  const known = cached.get(key);
  const now = performance.now();
  if (known && known.until > now) return known.value;
  const value = await load();
  cached.set(key, { value, until: now + ms });
  return value;
}

function subjectOf(token) {
  const key = `session ${createHash("sha256").update(token).digest("base64")}`;
  return fromCache(key, sessionMs, async () => {
    const response = await fetch(PEER_WHOAMI ?? "", { headers: { "x-session-token": token } });
    if (!response.ok) throw new Error(`whoami answered ${response.status}`);
    const { identity } = await response.json();
    return `user:${identity.id}`;
  });
}

async function requirePermission(subject) {
  const isAllowed = await fromCache(`permission ${subject} app:view`, permissionMs, async () => {
    const { url, token, relation, object } = JSON.parse(PEER_CHECK ?? "{}");
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify({ tuple_key: { user: subject, relation, object } }),
    });
    const { allowed } = await response.json();
    return allowed === true;
  });
  if (!isAllowed) throw new Error("permission denied");
}

const app = Fastify();
await app.register(mercurius, {
  schema,
  resolvers,
  jit: 1,
  context: async ({ headers: { authorization = "" } }) => ({ subject: await subjectOf(authorization.slice("Bearer ".length)) }),
});
await app.listen({ host: "127.0.0.1", port: Number(PEER_PORT) });
process.stdout.write("ready\n");

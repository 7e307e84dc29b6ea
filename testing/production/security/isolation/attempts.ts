import type { Facts } from "./facts.ts";
import type { Order } from "./orders.ts";

/** One way to reach what belongs to another app or to the platform. */
export interface Attempt {
  readonly what: string;
  /** The orders that the intruder gets. An empty list: does not apply to this platform. */
  readonly orders: (facts: Facts) => readonly Order[];
  /** How every one of them must end. */
  readonly ends: RegExp;
  /** Whether only the firewall of the host stands between. */
  readonly needsFirewall?: boolean;
}

/** The name does not resolve, no route leads there, or nothing listens. */
const unreachable = /^(ENOTFOUND|EAI_AGAIN|timeout|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EINVAL)$/;
/** PostgreSQL: invalid authorization, wrong password, insufficient privilege, and no such database on the server of the apps. */
const refusedByDatabase = /^(28000|28P01|42501|3D000)$/;
const missing = /^(ENOENT|EACCES|ENOTDIR)$/;

const connect = (host: string, port: number): Order => ({ do: "connect", host, port });
const everywhere = ({ hosts }: Facts, port: number): readonly Order[] => hosts.map((host) => connect(host, port));
const server =
  (name: string): Attempt["orders"] =>
  (facts) => {
    const { port, host } = facts.servers[name] ?? {};
    return port === undefined ? [] : [...everywhere(facts, port), connect(host ?? "", port)];
  };

const backend: readonly Attempt[] = [
  { what: "its backend by name", orders: ({ victim }) => [connect(`app-${victim.name}`, victim.port)], ends: unreachable },
  {
    what: "its backend by the name of a generation",
    orders: ({ victim }) => [1, 2, 3].map((generation) => connect(`app-${victim.name}-g${generation}`, victim.port)),
    ends: unreachable,
  },
  {
    what: "its backend by the id of its container",
    orders: ({ victim }) => [victim.containerId.slice(0, 12), victim.containerId].map((id) => connect(id, victim.port)),
    ends: unreachable,
  },
  {
    what: "its backend by address",
    orders: ({ victim }) => [connect(victim.address, victim.port)],
    ends: unreachable,
    needsFirewall: true,
  },
  {
    what: "its backend at its published port, on every address of the host",
    orders: (facts) => everywhere(facts, facts.victim.publishedPort),
    ends: unreachable,
  },
  { what: "its backend's port on every address of the host", orders: (facts) => everywhere(facts, 3000), ends: unreachable },
  {
    what: "the gateway of its network, at the platform's ports",
    orders: ({ victim, platform }) => [platform.port, platform.grpcPort].map((port) => connect(victim.gateway, port)),
    ends: unreachable,
  },
  { what: "a neighbour over IPv6", orders: () => [connect("ff02::1", 3000), connect("fe80::1%eth0", 3000)], ends: unreachable },
];

const throughPlatform = ({ victim }: Facts, more: Omit<Extract<Order, { do: "fetch" }>, "do" | "url">): readonly Order[] => [
  { do: "fetch", url: `/api/apps/${victim.name}/notes`, ...more },
];

const platformApi: readonly Attempt[] = [
  { what: "its API through the platform, unsigned", orders: (facts) => throughPlatform(facts, {}), ends: /^401$/ },
  {
    what: "its API through the platform, as itself",
    orders: (facts) => throughPlatform(facts, { signedAs: "com.example.intruder" }),
    ends: /^403$/,
  },
  {
    what: "its API through the platform, signed as another app with its own key",
    orders: (facts) => throughPlatform(facts, { signedAs: "com.example.clock" }),
    ends: /^401$/,
  },
  {
    what: "its API through the platform, with the headers that backends trust",
    orders: (facts) =>
      throughPlatform(facts, {
        headers: { "x-user-id": "admin", "x-app-name": facts.victim.name, "x-forwarded-for": "127.0.0.1" },
      }),
    ends: /^401$/,
  },
  {
    what: "its API through the platform, by a path that leads out of its own",
    orders: ({ victim }) =>
      ["/api/apps/com.example.intruder/..%2f", "/api/apps/com.example.clock/%2e%2e/"].map((path) => ({
        do: "fetch",
        url: `${path}${victim.name}/notes`,
      })),
    ends: /^(400|401|403|404)$/,
  },
  {
    what: "the platform's GraphQL",
    orders: () => [
      {
        do: "fetch",
        url: "/graphql",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"query":"{ apps { totalCount } }"}',
      },
    ],
    ends: /^(401|403|404|AUTHENTICATION_REQUIRED)$/,
  },
  { what: "the marketplace over gRPC, unsigned", orders: () => [{ do: "getApp" }], ends: /^(12|16)$/ },
  { what: "the platform's ports for people, at the gateways", orders: ownPorts, ends: unreachable },
];

/** The addresses of the host at which the platform does not listen for apps. */
function ownPorts({ hosts, platform, ownPorts: ports }: Facts): readonly Order[] {
  const others = hosts.filter((host) => host !== platform.host);
  return others.flatMap((host) => ports.map((port) => connect(host, port)));
}

const databases: readonly Attempt[] = [
  {
    what: "its database with its own login",
    orders: ({ victim }) => [{ do: "query", sql: "select 1", login: { database: victim.database } }],
    ends: refusedByDatabase,
  },
  {
    what: "its database as the other app, without the password",
    orders: ({ victim: { database, login: user } }) =>
      ["", "app", user].map((password) => ({ do: "query", sql: "select 1", login: { database, user, password } })),
    ends: /^(28000|28P01|SASL.*|.*password.*)$/i,
  },
  {
    what: "the platform's database",
    orders: ({ platform: { database } }) =>
      [database, "postgres", "template1"].map((name) => ({ do: "query", sql: "select 1", login: { database: name } })),
    ends: refusedByDatabase,
  },
  {
    what: "the platform's database as its role",
    orders: ({ platform: { database, databaseUser: user } }) =>
      [user, "postgres", "x"].map((password) => ({ do: "query", sql: "select 1", login: { database, user, password } })),
    ends: refusedByDatabase,
  },
  {
    what: "the roles of the other app and of the platform, from its own database",
    orders: ({ victim, platform }) =>
      [victim.login, victim.database, platform.databaseUser].map((role) => ({ do: "query", sql: `set role "${role}"` })),
    ends: /^(42501|22023)$/,
  },
  {
    what: "more rights at the database server",
    orders: () =>
      [
        "create role intruder_role",
        "create database intruder_database",
        "select rolpassword from pg_authid",
        "select pg_read_file('/etc/passwd')",
        "copy (select 1) to program 'id'",
        "create extension dblink",
        "alter system set log_statement to 'all'",
      ].map((sql) => ({ do: "query", sql })),
    ends: /^(42501|0A000|58P01)$/,
  },
  {
    what: "statements of the other app and of the platform",
    orders: () => [
      {
        do: "query",
        sql: "select distinct query from pg_stat_activity where usename <> session_user and query <> '<insufficient privilege>' and query <> ''",
      },
    ],
    ends: /^\[\]$/,
  },
];

const servers: readonly Attempt[] = [
  "database server",
  "Redis",
  "RabbitMQ",
  "OpenFGA",
  "Kratos",
  "Kratos admin",
  "metrics of the orchestrator",
].map((name) => ({ what: `the platform's ${name}`, orders: server(name), ends: unreachable }));

const host: readonly Attempt[] = [
  {
    what: "the engine's API over TCP",
    orders: (facts) => [2375, 2376].flatMap((port) => everywhere(facts, port)),
    ends: unreachable,
  },
  {
    what: "the engine's socket",
    orders: () => ["/var/run/docker.sock", "/run/docker.sock"].map((path) => ({ do: "read", path })),
    ends: missing,
  },
  {
    what: "files of the host",
    orders: () => ["/host/etc/shadow", "/proc/1/root/etc/shadow", "/etc/shadow"].map((path) => ({ do: "read", path })),
    ends: missing,
  },
  {
    what: "processes of others",
    orders: () => [{ do: "processes" }],
    ends: /^[1-3]$/,
  },
  {
    what: "its own root file system, the kernel's settings and devices",
    orders: () =>
      ["/app/src/server.mjs", "/etc/hosts", "/proc/sys/net/ipv4/ip_forward", "/dev/mem"].map((path) => ({ do: "write", path })),
    ends: /^(EROFS|EACCES|ENOENT|EPERM)$/,
  },
];

/** Every attempt must fail. Add yours here: the suite runs them on all platforms. */
export const attempts: readonly Attempt[] = [...backend, ...platformApi, ...databases, ...servers, ...host];

/** What must work, so that a refusal above is no accident. */
export const allowed: readonly Attempt[] = [
  { what: "its own backend", orders: () => [connect("app-com.example.intruder", 3000)], ends: /^connected$/ },
  {
    what: "the platform's ports for apps",
    orders: ({ platform }) => [platform.port, platform.grpcPort].map((port) => connect(platform.host, port)),
    ends: /^connected$/,
  },
  {
    what: "a public route of another app",
    orders: ({ victim }) => [{ do: "fetch", url: `/api/apps/${victim.name}/ping` }],
    ends: /^200$/,
  },
  {
    what: "its dependency, as itself, at UPSTREAM_",
    orders: () => [{ do: "fetch", url: "$UPSTREAM_COM_EXAMPLE_CLOCK/now", signedAs: "com.example.intruder" }],
    ends: /^200$/,
  },
  { what: "its own database", orders: () => [{ do: "query", sql: "select 1 as one" }], ends: /^\[\{"one":1\}\]$/ },
  { what: "its own temporary files", orders: () => [{ do: "write", path: "/tmp/own" }], ends: /^written$/ },
];

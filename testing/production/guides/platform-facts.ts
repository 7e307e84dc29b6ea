import type { PostgresConnection } from "@appserver/database-postgres";
import { onDatabase } from "@appserver/testing/kit";
import type { GuideMachine } from "./guide-machine.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What the databases hold, read directly. No process of the platform takes part. */
export interface PlatformFacts {
  /** What a restore must bring back exactly, by name. */
  readonly exact: Readonly<Record<string, Rows>>;
  /** Rows to which a running platform adds. A restore must bring back these. */
  readonly growing: Readonly<Record<string, Rows>>;
}

const exactOfPlatform = {
  apps: "select id, name, version, manifest_digest, key_fingerprint, enabled, route_base from marketplace.apps order by id",
  manifests: "select app_id, version, digest, md5(manifest) from marketplace.manifests order by 1, 2",
  assets: "select app_id, name, sha256, md5(contents) from marketplace.assets order by 1, 2",
  certificates: "select app_id, md5(certificate) from marketplace.pinned_certificates order by 1",
  grants: "select app_id, own, required, in_force from marketplace.grants order by 1",
  settings: "select app_id, key, value, sealed from settings.values order by 1, 2",
  authority: "select md5(a::text) from orchestration.certificate_authority a",
};
const growingOfPlatform = {
  audit: "select id, at, actor, action, target, outcome from platform.audit_log order by id",
  events: "select id, type, app_name from platform.event_history order by id",
  transitions: "select id, app_id, to_state from marketplace.transitions order by id",
};
const exactOfOpenFga = {
  stores: "select id, name from store",
  tuples: "select object_type, object_id, relation, _user from tuple order by 1, 2, 3, 4",
};
const exactOfKratos = {
  identities: "select id, traits, state from identities order by id",
  passwords: "select identity_id, config from identity_credentials order by 1, 2::text",
};
/** Who may connect to which database, and the roles that stay. Logins of containers change with each container. */
const exactOfServer = {
  databases: "select datname, datacl::text, datdba::regrole::text as owner from pg_database order by 1",
  roles: `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolcanlogin from pg_roles
          where rolname !~ '^pg_' and rolname !~ '_g[0-9]+$' order by 1`,
};

/** Reads the facts while the platform runs. */
export async function platformFacts(machine: GuideMachine): Promise<PlatformFacts> {
  const read = (server: "platform" | "apps", database: string, queries: Readonly<Record<string, string>>) =>
    answersOf(machine.connection(server, database), `${server}/${database}`, queries);
  const apps = await appDatabases(machine);
  const exact = await Promise.all([
    read("platform", "appserver", exactOfPlatform),
    read("platform", "openfga", exactOfOpenFga),
    read("platform", "kratos", exactOfKratos),
    read("platform", "postgres", exactOfServer),
    read("apps", "postgres", exactOfServer),
    ...apps.map((database) => read("apps", database, { tables: tablesOf })),
    ...apps
      .filter((name) => name.includes("notes"))
      .map((database) => read("apps", database, { notes: "select id, text, created_at, created_by from notes order by id" })),
  ]);
  return { exact: Object.assign({}, ...exact), growing: await read("platform", "appserver", growingOfPlatform) };
}

const tablesOf =
  "select schemaname, tablename, tableowner from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2";

/** Returns the names of the databases of apps. */
export async function appDatabases(machine: GuideMachine): Promise<readonly string[]> {
  const query = { names: "select datname from pg_database where starts_with(datname, 'app_') order by 1" };
  const [rows = []] = Object.values(await answersOf(machine.connection("apps", "postgres"), "", query));
  return rows.map(({ datname }) => String(datname));
}

async function answersOf(
  connection: PostgresConnection,
  place: string,
  queries: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Rows>>> {
  return await onDatabase(connection, async (sql) => {
    const answers: Record<string, Rows> = {};
    for (const [name, query] of Object.entries(queries)) answers[`${place}: ${name}`] = (await sql.query(query)).rows as Rows;
    return answers;
  });
}

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { ExternalHealthWatch } from "../src/workers/external-health-watch.ts";
import { tasksOf } from "../src/workers/periodic-work.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const home = await startMarketplace();
after(home.stop);

/** Copies an app that runs, under other names. */
async function copy(original: string, count: number): Promise<readonly { readonly id: string }[]> {
  const { database } = home;
  const { rows } = await database.query<{ id: string }>(
    `insert into marketplace.apps select copy.*
     from marketplace.apps as original, generate_series(1, $2::int) as number,
       jsonb_populate_record(original, jsonb_build_object('id', gen_random_uuid(), 'name', $1 || '.n' || number,
         'key_fingerprint', $1 || number)) as copy
     where original.name = $1 returning id`,
    [original, count],
  );
  for (const table of ["manifests", "pinned_certificates", "grants"])
    await database.query(
      `insert into marketplace.${table} select copied.*
       from marketplace.apps as original join marketplace.${table} as part on part.app_id = original.id,
         marketplace.apps as copy, jsonb_populate_record(part, jsonb_build_object('app_id', copy.id)) as copied
       where original.name = $1 and copy.id = any ($2::uuid[])`,
      [original, rows.map(({ id }) => id)],
    );
  await home.apps.refresh();
  return rows;
}

test("while nothing happens, the periodic tasks take as many statements with 300 apps as with 3", async (t) => {
  const [contained, external] = ["com.example.contained", "com.example.external"];
  await home.register(contained);
  const api = { basePath: `/api/apps/${external}`, upstreamBaseUrl: "http://192.0.2.1" };
  await home.register(external, { webApp: { api } });
  await home.register("com.example.waiting");
  for (const name of [contained, external]) await installApp(home.context, { name }, callBy(system));
  home.deploy((await home.stored(contained)).id, 1, "HEALTHY");
  await applyDeployment(home.context, contained);
  const idle = async (): Promise<readonly (readonly [string, number])[]> => {
    const health = new ExternalHealthWatch(home.context, { probe: async () => undefined }, { acquire: async () => undefined });
    const counts: [string, number][] = [];
    for (const { name, run } of tasksOf(home.context, health, home.comparisons)) {
      const before = home.statements();
      await run(new AbortController().signal);
      await health.settled();
      counts.push([name, home.statements() - before]);
    }
    return counts;
  };
  const few = await idle();
  for (const { id } of await copy(contained, 148)) home.deploy(id, 1, "HEALTHY");
  await copy(external, 148);
  await copy("com.example.waiting", 1);
  assert.equal(home.context.apps.all().length, 300);
  assert.deepEqual(new Set(home.context.apps.all().map(({ app }) => app.state)), new Set(["RUNNING", "REGISTERED"]));
  assert.deepEqual(await idle(), few);
  t.diagnostic(few.map(([name, count]) => `${name}: ${count}`).join(", "));
});

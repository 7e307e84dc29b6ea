import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type TestApp, testApp } from "@appserver/testing/kit";
import { type ProductionServices, startProductionServices } from "@appserver/testing/kit/production";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReplicaGroup } from "./replica-group.ts";

const rounds = 10;
const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

interface Counts {
  readonly version: string;
  readonly target: string | null;
  /** Operation that the app waits for. */
  readonly waiting: string | null;
  readonly open: readonly string[];
  readonly changes: number;
  readonly audited: number;
}

describe("two administrators upgrade the same app at once, each on another server", { skip }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  before(async () => {
    group = await ReplicaGroup.start(services);
  });
  after(async () => {
    await group?.stop();
    await services.stop();
  });

  const install = async (name: string, upstream: string): Promise<void> => {
    const server = group.server(0);
    const first = await version(name, "1.0.0", upstream);
    await group.register(server, first);
    await group.client(server).marketplace.installApp({ name });
    await group.register(server, await version(name, "1.1.0", upstream, first));
  };

  /** Sends the command to both servers. Returns the operation of the one that won, and the code and message of the other. */
  const race = async (name: string, planDigest?: string) => {
    const request = { name, version: "1.1.0", ...(planDigest === undefined ? {} : { planDigest }) };
    const results = await Promise.allSettled(
      group.servers.map((server) => group.client(server).marketplace.upgradeApp(request)),
    );
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.operation?.id] : []));
    const refused = results.flatMap((result) => {
      if (result.status === "fulfilled") return [];
      const { code, rawMessage } = ConnectError.from(result.reason);
      return [{ code: Code[code], message: rawMessage }];
    });
    return { won, refused };
  };

  const stored = async (name: string): Promise<Counts> => {
    const { rows } = await services.database.query<Counts>(
      `select apps.version, target ->> 'version' as target, target ->> 'operationId' as waiting,
         array(select id::text from marketplace.operations where app_id = apps.id and not done) as open,
         (select count(*)::int from marketplace.version_changes where app_id = apps.id and kind = 'upgrade') as changes,
         (select count(*)::int from platform.audit_log
          where action = 'app.upgrade' and target = 'app:' || apps.name and outcome = 'success') as audited
       from marketplace.apps where name = $1`,
      [name],
    );
    return rows[0] ?? assert.fail(`${name} is not stored`);
  };

  test(`an app in a container: in each of ${rounds} rounds one switch starts, and the other administrator gets CONFLICT`, async () => {
    const name = "test.contained";
    // No orchestrator runs, so that the switch does not end by itself.
    await install(name, `http://app-${name}:3000`);
    for (let round = 1; round <= rounds; round++) {
      const { won, refused } = await race(name);
      assert.deepEqual([won.length, refused.map(({ code }) => code)], [1, ["Aborted"]], JSON.stringify(refused));
      const { version: serving, target, waiting, open, audited } = await stored(name);
      assert.deepEqual([serving, target, waiting, open, audited], ["1.0.0", "1.1.0", won[0], [won[0]], round]);
      await group.client(group.server(round)).marketplace.rollbackApp({ name });
      assert.deepEqual((await stored(name)).target, null);
    }
  });

  test(`an app without a container: in each of ${rounds} rounds one reviewed plan is executed, and the other is CONFLICT`, async () => {
    const name = "test.external";
    await install(name, "http://192.0.2.1");
    for (let round = 1; round <= rounds; round++) {
      const client = group.client(group.server(round));
      const { digest } = await client.marketplace.planUpgrade({ name, version: "1.1.0" });
      const { won, refused } = await race(name, digest);
      assert.deepEqual([won.length, refused.map(({ code }) => code)], [1, ["Aborted"]], JSON.stringify(refused));
      assert.deepEqual(await stored(name), {
        version: "1.1.0",
        target: null,
        waiting: null,
        open: [],
        changes: round,
        audited: round,
      });
      await client.marketplace.rollbackApp({ name, version: "1.0.0" });
    }
  });
});

function version(name: string, number: string, upstream: string, earlier?: TestApp): Promise<TestApp> {
  const api = { base_path: `/api/apps/${name}`, upstream_base_url: upstream };
  return testApp({ name, version: number, web_app: { api } }, {}, earlier?.keys);
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { TestApp } from "@appserver/testing/kit";
import { eventually, findCanary, type PlatformUnderTest, type SearchedTexts, untilRouted } from "@appserver/testing/kit";
import { type AskedPlatform, askAboutApp, askForLog } from "./app-answers.ts";
import { type DeploymentSecrets, processPlaces, termsOf } from "./deployment-secrets.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { talkingApp, talkingManifest } from "./talking-app.ts";

const [talker, neighbour] = ["com.example.talker", "com.example.neighbour"];
const timeoutMs = 120_000;

/** A platform whose places are searched. It has no apps yet. */
export interface SearchedPlatform extends AskedPlatform, Pick<PlatformUnderTest, "onDatabase"> {
  /** Registers an app whose image is the code of a folder, and installs it. */
  install(app: TestApp, folder: string): Promise<void>;
  secretsOf(appName: string): Promise<DeploymentSecrets>;
  /** Everything that the platform has written, by kind and name, except processes and responses. */
  places(): Promise<SearchedTexts>;
  /** Beginnings of the names of places. In each kind the search must find the name of the app. */
  readonly kinds: readonly string[];
  /** Whether the place is a part of the app's own container. */
  isOwn(place: string, appName: string): boolean;
  /** Whether the place contains what the app prints. */
  isOutput(place: string, appName: string): boolean;
  stop(): Promise<void>;
}

/** Declares the tests of where the secrets of deployments are (docs/interface/containers.md#identity). */
export function deploymentCanarySuite(name: string, start: () => Promise<SearchedPlatform>, skip: string | undefined): void {
  describe(`the secrets of deployments on ${name}`, { skip: skip ?? false, concurrency: false }, () => {
    let platform: SearchedPlatform;
    let folder = "";
    const answers = new KeptAnswers();
    /** Every secret so far, by the app that has it. */
    const canaries: { readonly app: string; readonly terms: readonly string[] }[] = [];

    before(async () => {
      platform = await start();
      folder = await talkingApp();
      for (const app of [talker, neighbour]) await platform.install(await talkingManifest(app), folder);
      for (const app of [talker, neighbour]) await untilRouted(platform.httpUrl, app);
      await collect();
    });
    after(async () => {
      await platform?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const collect = async (): Promise<void> => {
      for (const app of [talker, neighbour]) canaries.push({ app, terms: termsOf(await platform.secretsOf(app)) });
    };
    const look = async (): Promise<SearchedTexts> => ({
      ...(await platform.places()),
      ...processPlaces(),
      ...answers.places,
    });
    /** Places with a secret of another app, or of the app itself outside of its own container. */
    const leaks = (places: SearchedTexts): readonly string[] => {
      const found = canaries.flatMap(({ app, terms }) => {
        const foreign = Object.fromEntries(
          Object.entries(places).filter(([place]) => !place.startsWith(`app-process ${app} `) && !platform.isOwn(place, app)),
        );
        return terms.flatMap((term) => findCanary(term, foreign));
      });
      return [...new Set(found)];
    };
    const call = (path: string, method = "GET"): Promise<number> =>
      answers.http(platform.httpUrl, `/api/apps/${talker}${path}`, { method });
    const command = async (mutation: string): Promise<void> => {
      const answer = await platform.graphql(`mutation { ${mutation}(name: "${talker}") { success } }`);
      assert.equal(answer.errors, undefined, JSON.stringify(answer.errors));
      answers.keep(answer);
    };
    /** Runs the command, and waits until the app has other secrets. */
    const renewed = async (mutation: string): Promise<void> => {
      const { password } = await platform.secretsOf(talker);
      await command(mutation);
      const next = () => platform.secretsOf(talker).catch(() => undefined);
      await eventually(next, (secrets) => secrets !== undefined && secrets.password !== password, {
        timeoutMs,
        what: mutation,
      });
      await untilRouted(platform.httpUrl, talker);
      await collect();
    };
    const ask = async (): Promise<void> => {
      for (const app of [talker, neighbour]) {
        await askAboutApp(platform, answers, app);
        await askForLog(platform, answers, app);
      }
    };
    const reverse = (sql: SqlExecutor): Promise<unknown> =>
      sql.query(
        `update orchestration.workload_identities set sealed_forward_secret = reverse(sealed_forward_secret),
           version = nextval('orchestration.workload_identity_versions') where app_name = $1`,
        [talker],
      );
    const untilStatus = (status: number): Promise<unknown> =>
      eventually(
        () => call("/limited"),
        (seen) => seen === status,
      );

    test("they are only in the app's own container: after calls, errors, a restart, and another generation", async () => {
      assert.deepEqual([await call("/limited"), await call("/closed"), await call("/x", "PUT")], [200, 401, 405]);
      await ask();
      await platform.onDatabase(reverse);
      await untilStatus(503);
      await platform.onDatabase(reverse);
      await untilStatus(200);
      await renewed("restartApp");
      await renewed("redeployApp");
      await ask();
      assert.equal(canaries.length, 6);
      assert.equal(new Set(canaries.flatMap(({ terms }) => terms)).size, 4 * new Set(canaries[0]?.terms).size);
      assert.deepEqual(leaks(await look()), []);
    });

    test("the search finds the app's name in every kind of place, and the secrets where they belong", async () => {
      const kinds = [...platform.kinds, `app-process ${talker}`, `app-process ${neighbour}`, "answer"];
      let found: readonly string[] = [];
      const missing = async (): Promise<readonly string[]> => {
        found = findCanary("com.example.talker", await look());
        return kinds.filter((kind) => kind !== `app-process ${neighbour}` && !found.some((place) => place.startsWith(kind)));
      };
      await eventually(missing, (kindsLeft) => kindsLeft.length === 0, { timeoutMs: 30_000, what: "a name in every kind" });
      const { terms } = canaries.findLast(({ app }) => app === talker) ?? assert.fail();
      const places = await look();
      const own = terms.flatMap((term) => findCanary(term, places));
      assert.ok(own.length > 0);
      assert.deepEqual(
        own.filter((place) => !platform.isOwn(place, talker) && !place.startsWith(`app-process ${talker} `)),
        [],
      );
      assert.ok(Object.keys(places).some((place) => place.startsWith(`app-process ${neighbour} `)));
    });

    test("planted leaks are found: in a table, in the environment of another process, in a response, as bytes of the key", async () => {
      const { password, forwardSecret, privateKey } = await platform.secretsOf(talker);
      const { privateKey: otherKey } = await platform.secretsOf(neighbour);
      const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], APP_NAME: neighbour, STOLEN: password } });
      const planted = new KeptAnswers();
      planted.keep({ message: `no access with ${forwardSecret.slice(0, 12)}` });
      const der = Buffer.from(privateKey.split("\n").slice(1, -1).join(""), "base64");
      const bytes = { "file planted": der, "log planted": JSON.stringify({ key: otherKey }) };
      await platform.onDatabase(async (sql) => {
        await sql.query("create table public.planted (bytes bytea)");
        await sql.query("insert into public.planted values ($1)", [Buffer.from(forwardSecret, "base64")]);
      });
      try {
        const expected = [
          /^table public\.planted$/,
          /^app-process com\.example\.neighbour \d+$/,
          /^answer 0/,
          /^file planted$/,
        ];
        const found = leaks({ ...(await look()), ...planted.places, ...bytes });
        for (const place of [...expected, /^log planted$/])
          assert.ok(
            found.some((each) => place.test(each)),
            String(place),
          );
        assert.equal(found.length, 5, found.join("\n"));
      } finally {
        child.kill();
        await platform.onDatabase((sql) => sql.query("drop table public.planted"));
      }
      assert.deepEqual(leaks(await look()), []);
    });

    test("what an app prints of its own secrets is in its log, and nowhere else", async () => {
      assert.equal(await call("/say", "POST"), 200);
      const log = new KeptAnswers();
      const isSaid = async (): Promise<boolean> => {
        await askForLog(platform, log, talker);
        return findCanary("all is said", log.places).length > 1;
      };
      await eventually(isSaid);
      assert.ok(leaks(log.places).length > 1);
      for (const app of [talker, neighbour]) await askAboutApp(platform, answers, app);
      await askForLog(platform, answers, neighbour);
      const found = leaks(await look());
      assert.deepEqual(
        found.filter((place) => !platform.isOutput(place, talker)),
        [],
      );
    });
  });
}

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  ContainerError,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  containerLabels,
} from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { ask } from "./ask-probe.ts";
import { atRest } from "./at-rest.ts";
import { identityTests } from "./container-identity.suite.ts";
import { instanceTests } from "./container-instances.suite.ts";
import { logTests, printedBy } from "./container-logs.suite.ts";
import { renameTests } from "./container-renames.suite.ts";
import { statsTests } from "./container-stats.suite.ts";
import type { EngineDifferences } from "./engine-differences.ts";
import { hasReason } from "./has-reason.ts";
import { storageTests } from "./storage.suite.ts";

/** The driver-specific part of the suite. */
export interface ContainersFixture {
  /** Opens a runtime on the same engine or state as all others of this fixture, like another replica. The suite closes it. */
  open(): Promise<ContainerRuntime>;
  /** A reference to an image of the probe app. */
  readonly image: string;
  /** Puts an image of another version of the probe under the reference {@link image}. At first it is version 1. */
  publish(version: string): Promise<void>;
  /** A reference to an image that does not exist, resolved without the network. */
  readonly missingImage: string;
  /** Why the containers of this driver see each other's files. Absent: they do not. */
  readonly sharedFiles?: string;
  /** Why the driver has neither users nor limits for its containers. Absent: it has. */
  readonly noLimits?: string;
  /** What the engine does in another way than Docker. */
  readonly differences?: EngineDifferences;
  /** Variables that the driver itself adds to the environment, or replaces in it. */
  readonly ownEnvironment: readonly string[];
  close(): Promise<void>;
}

export interface ContainersSuiteOptions {
  /** Why the suite cannot run here. */
  readonly skip?: string;
  /** The only installation that the engine serves. Default: any. */
  readonly instance?: string;
}

/** The network that the suite creates. A fixture removes it if the engine keeps networks. */
export const suiteNetwork = "appserver-suite";
const pullSignal = (): AbortSignal => AbortSignal.timeout(30_000);

/** Declares the tests that every container driver must pass (port `ContainerRuntime`). */
export function containersSuite(
  name: string,
  openFixture: () => Promise<ContainersFixture>,
  options: ContainersSuiteOptions = {},
): void {
  describe(`${name} keeps the containers contract`, { skip: options.skip ?? false, concurrency: false }, () => {
    const instance = options.instance ?? `suite-${randomBytes(4).toString("hex")}`;
    const servesAny = options.instance === undefined;
    let fixture: ContainersFixture;
    let runtime: ContainerRuntime;

    const specOf = (app: string, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
      name: `app-${instance}.${app}`,
      image: fixture.image,
      environment: { PORT: "3000", DB_HOST: "database", SPACES: "a b = c", EMPTY: "" },
      labels: { [containerLabels.instance]: instance, [containerLabels.appId]: app, [containerLabels.generation]: "1" },
      network: suiteNetwork,
      port: 3000,
      endpoint: "publish",
      memoryMb: 256,
      cpuShares: 512,
      pidsLimit: 64,
      readOnlyRoot: true,
      ...changes,
    });

    const running = async (spec: ContainerSpec): Promise<ContainerView> => {
      await runtime.create(spec);
      const view = await runtime.start(spec.name);
      await ask(view, "/env");
      return view;
    };

    before(async () => {
      fixture = await openFixture();
      runtime = await fixture.open();
      await runtime.ensureNetwork(suiteNetwork);
    });

    after(async () => {
      for (const { name: left } of await runtime.list({ [containerLabels.instance]: instance })) await runtime.remove(left);
      for (const { appId } of await runtime.storage({ instance })) await runtime.removeStorage({ instance, appId });
      await runtime.close();
      await fixture.close();
    });

    test("ping and ensureNetwork succeed, repeatedly and concurrently", async () => {
      await runtime.ping(5_000);
      await Promise.all([runtime.ensureNetwork(suiteNetwork), runtime.ensureNetwork(suiteNetwork)]);
    });

    test("pull returns one digest for one image, and a container created by it reports that digest", async () => {
      const first = await runtime.pull(fixture.image, { signal: pullSignal() });
      assert.match(first.digest, /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(await runtime.pull(fixture.image, { signal: pullSignal() }), first);
      const view = await runtime.create(specOf("pinned", { image: `${fixture.image}@${first.digest}` }));
      assert.equal(view.image, first.digest);
    });

    test("a digest runs the same image after another one was published under its tag", async () => {
      const first = await runtime.pull(fixture.image, { signal: pullSignal() });
      await fixture.publish("2");
      const second = await runtime.pull(fixture.image, { signal: pullSignal() });
      assert.notEqual(second.digest, first.digest);
      for (const [version, { digest }] of [["1", first] as const, ["2", second] as const]) {
        const pinned = `${fixture.image}@${digest}`;
        assert.deepEqual(await runtime.pull(pinned, { signal: pullSignal() }), { digest });
        const view = await running(specOf(`version-${version}`, { image: pinned }));
        assert.equal(view.image, digest);
        assert.equal(await ask(view, "/version"), version);
      }
      await fixture.publish("1");
      assert.deepEqual(await runtime.pull(fixture.image, { signal: pullSignal() }), first);
    });

    test("an unknown digest is image_not_found", async () => {
      const digest = `sha256:${"0".repeat(64)}`;
      const unknown = `${fixture.missingImage}@${digest}`;
      await assert.rejects(runtime.pull(unknown, { signal: pullSignal() }), hasReason("image_not_found"));
      const spec = specOf("unknown", { image: `${fixture.image}@${digest}` });
      await assert.rejects(runtime.create(spec), hasReason("image_not_found"));
      assert.equal(await runtime.inspect(spec.name), undefined);
    });

    test("a missing image is image_not_found", async () => {
      await assert.rejects(runtime.pull(fixture.missingImage, { signal: pullSignal() }), (error) => {
        assert.ok(error instanceof ContainerError);
        assert.equal(error.reason, "image_not_found");
        assert.match(error.message, /repository not found/);
        return true;
      });
      await assert.rejects(runtime.create(specOf("missing", { image: fixture.missingImage })), hasReason("image_not_found"));
      assert.equal(await runtime.inspect(specOf("missing").name), undefined);
    });

    test("create makes a container that does not run, with its labels", async () => {
      const spec = specOf("created");
      const view = await runtime.create(spec);
      assert.equal(view.name, spec.name);
      assert.equal(view.status, "created");
      assert.equal(view.endpoint, undefined);
      assert.equal(view.startedAt, undefined);
      for (const [label, value] of Object.entries(spec.labels)) assert.equal(view.labels[label], value);
      assert.deepEqual(await runtime.inspect(spec.name), view);
    });

    test("start runs it behind its endpoint, and a second start changes nothing", async () => {
      const view = await running(specOf("started"));
      assert.equal(view.status, "running");
      assert.match(view.endpoint ?? "", fixture.differences?.endpoint ?? /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.ok(Math.abs((view.startedAt?.getTime() ?? 0) - Date.now()) < 60_000);
      const pid = await ask(view, "/pid");
      assert.deepEqual(atRest(await runtime.start(view.name)), atRest(view));
      assert.equal(await ask(view, "/pid"), pid);
    });

    test("the environment is exactly the given one; nothing of this process is passed", async () => {
      process.env["APPSERVER_SUITE_CANARY"] = "secret";
      try {
        const spec = specOf("environment");
        const seen = (await ask(await running(spec), "/env")) as Record<string, string>;
        const ours = Object.entries(seen).filter(([key]) => !fixture.ownEnvironment.includes(key));
        const given = Object.entries(spec.environment).filter(([key]) => !fixture.ownEnvironment.includes(key));
        assert.deepEqual(Object.fromEntries(ours), Object.fromEntries(given));
      } finally {
        delete process.env["APPSERVER_SUITE_CANARY"];
      }
    });

    test("create adopts an existing container of the same app and instance unchanged", async () => {
      const spec = specOf("adopted");
      const view = await running(spec);
      const later = { ...spec, labels: { ...spec.labels, [containerLabels.generation]: "2" } };
      const adopted = await runtime.create(later);
      assert.equal(adopted.id, view.id);
      assert.equal(adopted.status, "running");
      assert.equal(adopted.labels[containerLabels.generation], "1");
    });

    test("create refuses a name that another installation holds, and names the holder", {
      skip: servesAny ? false : "the engine serves one installation",
    }, async () => {
      const spec = specOf("contested");
      const view = await runtime.create(spec);
      const foreign = { ...spec, labels: { ...spec.labels, [containerLabels.instance]: "someone-else" } };
      await assert.rejects(runtime.create(foreign), (error) => {
        assert.ok(error instanceof ContainerError);
        assert.equal(error.reason, "name_conflict");
        assert.ok(error.message.includes(instance), error.message);
        return true;
      });
      assert.equal((await runtime.inspect(spec.name))?.id, view.id);
    });

    test("two replicas that create and start one name concurrently end with one container and one process", async () => {
      const other = await fixture.open();
      try {
        const spec = specOf("raced");
        const created = await Promise.all([runtime.create(spec), other.create(spec), runtime.create(spec), other.create(spec)]);
        assert.equal(new Set(created.map((view) => view.id)).size, 1);
        const started = await Promise.all([runtime.start(spec.name), other.start(spec.name)]);
        assert.equal(started[0].endpoint, started[1].endpoint);
        assert.equal((await other.list({ [containerLabels.appId]: "raced", [containerLabels.instance]: instance })).length, 1);
      } finally {
        await other.close();
      }
    });

    test("a runtime that opens later finds running containers, with endpoint and logs", async () => {
      const view = await running(specOf("found"));
      const other = await fixture.open();
      try {
        const found = await other.inspect(view.name);
        assert.deepEqual(found && atRest(found), atRest(view));
        assert.match(await printedBy(other, view.name), /probe is up/);
        await other.stop(view.name, 2_000);
      } finally {
        await other.close();
      }
      assert.equal((await runtime.inspect(view.name))?.status, "exited");
    });

    test("list returns the containers that have all the labels, running or not", async () => {
      await runtime.create(specOf("listed-1", { labels: { ...specOf("listed-1").labels, colour: "red" } }));
      await running(specOf("listed-2", { labels: { ...specOf("listed-2").labels, colour: "red" } }));
      await runtime.create(specOf("listed-3", { labels: { ...specOf("listed-3").labels, colour: "blue" } }));
      const names = async (labels: Record<string, string>): Promise<string[]> =>
        (await runtime.list({ [containerLabels.instance]: instance, ...labels }))
          .map((view) => view.labels[containerLabels.appId] ?? "")
          .sort();
      assert.deepEqual(await names({ colour: "red" }), ["listed-1", "listed-2"]);
      assert.deepEqual(await names({ colour: "red", [containerLabels.appId]: "listed-1" }), ["listed-1"]);
      assert.deepEqual(await names({ colour: "green" }), []);
    });

    const parts = { runtime: () => runtime, running, specOf };
    instanceTests(parts);
    logTests(parts);
    statsTests({ ...parts, hasLimits: () => fixture.noLimits === undefined });

    /** Skips a test of a driver that has neither users nor limits, or lacks the part. */
    const limited = (what: string, run: () => Promise<void>, lacks?: "noUserNames" | "noProcessLimits"): void =>
      void test(what, async (context) => {
        const reason = fixture.noLimits ?? (lacks && fixture.differences?.[lacks]);
        if (reason === undefined) await run();
        else context.skip(reason);
      });
    /** Resolves when the only instance has ended by itself, with its exit code. */
    const untilEnded = async (name: string, code: number): Promise<ContainerView | undefined> => {
      const isByEngine = runtime.abilities.restarts === "engine";
      const ended = await eventually(
        () => runtime.inspect(name),
        (view) => (isByEngine ? (view?.instances[0]?.restarts ?? 0) > 0 : view?.status === "exited"),
      );
      const end = ended?.instances[0]?.lastEnd;
      assert.deepEqual([ended?.exitCode, end?.exitCode], isByEngine ? [undefined, code] : [code, undefined]);
      if (isByEngine) assert.equal(end?.cause, code === 137 ? "memory" : "exit");
      return ended;
    };

    const statusOf = async (app: string, user: string): Promise<string> => {
      const view = await running(specOf(app, { user }));
      return ((await ask(view, "/read?path=/proc/self/status")) as { value: string }).value;
    };
    limited("a container runs as its user", async () => {
      const user = /^Uid:\t65532\t65532\t65532\t65532\nGid:\t65532\t/m;
      assert.match(await statusOf("number", "65532:65532"), user);
    });

    const withName = async (): Promise<void> => assert.match(await statusOf("named", "app"), /^Uid:\t1000\t/m);
    limited("a user has the name that the image gives it", withName, "noUserNames");

    limited("an app over its memory is killed, other apps are not", async () => {
      const greedy = await running(specOf("greedy", { memoryMb: 128 }));
      const other = await running(specOf("modest", { memoryMb: 128 }));
      await ask(greedy, "/allocate?mb=512").catch(() => {});
      await untilEnded(greedy.name, 137);
      await ask(other, "/env");
    });

    const processLimit = async (): Promise<void> => {
      const view = await running(specOf("crowded", { pidsLimit: 77 }));
      const files = ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"];
      const found = await Promise.all(files.map((file) => ask(view, `/read?path=${file}`)));
      assert.ok(
        found.some((read) => (read as { value?: string }).value === "77\n"),
        JSON.stringify(found),
      );
    };
    limited("a container has its number of processes", processLimit, "noProcessLimits");

    test("the fingerprint of a container stays through a stop, a start and a rename, and another container has another one", async () => {
      const { name } = specOf("marked");
      const { fingerprint } = await runtime.create(specOf("marked"));
      assert.equal((await runtime.start(name)).fingerprint, fingerprint);
      const renamed = await runtime.rename(name, `${name}-renamed`);
      assert.equal(renamed.fingerprint, fingerprint);
      await runtime.stop(renamed.name, 2_000);
      assert.equal((await runtime.inspect(renamed.name))?.fingerprint, fingerprint);
      await runtime.remove(renamed.name);
      assert.notEqual((await runtime.create(specOf("marked"))).fingerprint, fingerprint);
    });

    test("an app that exits shows its exit code, and starts again", async () => {
      const view = await running(specOf("ending"));
      await ask(view, "/exit?code=7").catch(() => {});
      const ended = await untilEnded(view.name, 7);
      if (runtime.abilities.restarts === "orchestrator") assert.equal(ended?.endpoint, undefined);
      const again = await runtime.start(view.name);
      assert.equal(again.id, view.id);
      assert.equal(again.exitCode, undefined);
      await ask(again, "/env");
    });

    test("stop ends it, and stop and remove succeed on stopped, removed and unknown containers", async () => {
      const view = await running(specOf("stopping"));
      await runtime.stop(view.name, 2_000);
      const stopped = await runtime.inspect(view.name);
      const exitCode = runtime.abilities.restarts === "engine" ? undefined : 143;
      assert.deepEqual([stopped?.status, stopped?.exitCode], ["exited", exitCode]);
      await assert.rejects(fetch(view.endpoint ?? "", { signal: AbortSignal.timeout(3_000) }));
      await runtime.stop(view.name, 2_000);
      await Promise.all([runtime.remove(view.name), runtime.remove(view.name)]);
      assert.equal(await runtime.inspect(view.name), undefined);
      await runtime.stop(view.name, 2_000);
      await runtime.remove(view.name);
      await assert.rejects(runtime.start(view.name), hasReason("not_found"));
    });

    identityTests({ ...parts, differences: () => fixture.differences });

    renameTests({ ...parts, instance, fixture: () => fixture });

    test("apps in networks of their own do not reach each other", async (context) => {
      const { networks } = runtime;
      if (!networks) return context.skip("this driver has no networks of apps");
      const labels = { [containerLabels.instance]: instance };
      const specIn = async (app: string, id = app): Promise<ContainerSpec> => {
        const owner = { ...labels, [containerLabels.appId]: id };
        const spec = { name: `${instance}-${id}`, labels: owner, pool: "10.213.0.0/16" };
        const [network] = await Promise.all([networks.ensure(spec), networks.ensure(spec)]);
        return specOf(app, { labels: owner, network: network.name });
      };
      const [one, sibling, other] = [await specIn("one"), await specIn("one-g2", "one"), await specIn("other")];
      assert.equal(sibling.network, one.network);
      const views = [await running(one), await running(sibling), await running(other)];
      const byAddress = fixture.differences?.reachedByAddress;
      const hostOf = (to: number): string =>
        byAddress ? new URL(views[to]?.endpoint ?? "").hostname : ([one, sibling, other][to]?.name ?? "");
      const reaches = async (from: number, to: number): Promise<unknown> =>
        await ask(views[from] ?? assert.fail(), `/connect?host=${hostOf(to)}&port=3000`);
      assert.deepEqual([await reaches(0, 1), await reaches(1, 0)], ["connected", "connected"]);
      const refused = byAddress ?? /^(?:ENOTFOUND|EAI_AGAIN)$/;
      for (const [from, to] of [
        [0, 2],
        [2, 0],
      ] as const)
        assert.match(String(await reaches(from, to)), refused);
      const found = await networks.list(labels);
      assert.deepEqual(found.map((network) => network.name).sort(), [one.network, other.network].sort());
      const [left] = await networks.list({ ...labels, [containerLabels.appId]: "one" });
      assert.ok(left);
      await assert.rejects(networks.remove(left), /is still there/);
      for (const view of views) await runtime.remove(view.name);
      for (const network of found) await networks.remove(network);
      await networks.remove(left);
      assert.deepEqual(await networks.list(labels), []);
    });

    test("remove stops a running container", async () => {
      const view = await running(specOf("removed"));
      await runtime.remove(view.name);
      assert.equal(await runtime.inspect(view.name), undefined);
      await assert.rejects(fetch(view.endpoint ?? "", { signal: AbortSignal.timeout(3_000) }));
    });

    storageTests({ ...parts, instance, fixture: () => fixture, ask });
  });
}

import assert from "node:assert/strict";
import { Agent, request as startRequest } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send, until } from "@appserver/testing/kit";
import { type ProductionServices, ReplicaGroup, startProductionServices } from "@appserver/testing/kit/production";
import { isReady } from "../kit/appserver-process.ts";
import { RequestLoad } from "../kit/request-load.ts";
import { CountingUpstream } from "../production/replicas/counting-upstream.ts";
import { answering, answeringApp } from "../production/replicas/sample-apps.ts";
import { StateSubscription } from "../production/replicas/state-subscription.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

/** Responses of each kind, including the slow one, with two servers and with one. */
const responses = 3;
const probeEveryMs = 100;

describe("two servers behind a load balancer", { skip }, () => {
  // As operators with a load balancer set it: the load balancer probes twenty times in this period.
  const environment = { APPSERVER_DRAIN_DELAY: "2s" };
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let upstream: CountingUpstream;
  let cookie: string;

  before(async () => {
    upstream = await CountingUpstream.start();
    group = await ReplicaGroup.start({ ...services, environment: { ...services.environment, ...environment } });
    await group.register(group.server(0), await answeringApp(upstream.url));
    await group.client(group.server(0)).marketplace.installApp({ name: answering });
    ({ cookie } = await group.viewerOf(answering));
    const headers = { cookie };
    for (const { httpUrl } of group.servers)
      await until("it is served", async () => (await send(httpUrl, `/api/apps/${answering}/read`, { headers })).status === 200);
  });
  after(async () => {
    await group?.stop();
    await upstream?.stop();
    await services.stop();
  });

  /** The servers whose last /ready was 200, as a load balancer probes them. */
  const ready = new Set<string>();
  const probe = async (over: AbortSignal): Promise<void> => {
    for (; !over.aborted; await sleep(probeEveryMs))
      for (const { httpUrl } of group.servers)
        if (await isReady(httpUrl)) ready.add(httpUrl);
        else ready.delete(httpUrl);
  };
  let turn = 0;
  const nextReady = (): string => [...ready][turn++ % ready.size] ?? assert.fail("no server is ready");

  /** Uses a connection that is kept alive, and a new one to a ready server if the last response closed it. */
  const client = (method: string, path: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => {
      const { hostname, port } = new URL(nextReady());
      return connect(Number(port), hostname);
    };
    return (): Promise<number> =>
      new Promise((resolve, reject) => {
        const options = { agent, method, path: `/api/apps/${answering}${path}`, headers: { cookie } };
        const request = startRequest(options, (response) => {
          response.resume().once("error", reject);
          response.once("end", () => resolve(response.statusCode ?? 0));
        });
        request.once("error", reject);
        request.end(method === "POST" ? "something" : undefined);
      });
  };

  test("SIGTERM to one: /ready 503 at once, WebSockets close with 1001, and no request fails", async (t) => {
    const [leaving, staying] = [group.server(0), group.server(1)];
    const subscription = await StateSubscription.open(leaving.httpUrl, group.adminToken);
    const over = new AbortController();
    const probing = probe(over.signal);
    await until("both are ready", () => ready.size === 2);
    const load = new RequestLoad(
      {
        public: client("GET", "/public"),
        read: client("GET", "/read"),
        write: client("POST", "/write"),
        another: client("GET", "/read"),
        slow: client("GET", "/slow"),
        fresh: () => send(nextReady(), `/api/apps/${answering}/public`).then(({ status }) => status),
      },
      "both",
    );
    await load.responded(responses);
    load.enter("one stops");
    const stoppedAt = performance.now();
    const stopping = leaving.stop();
    const readiness: string[] = [];
    for (let isThere = true; isThere; await sleep(20)) {
      const answer = await send(leaving.httpUrl, "/ready").catch(() => undefined);
      isThere = answer !== undefined;
      if (answer) readiness.push(`${answer.status}`);
    }
    t.diagnostic(`exit code ${await stopping} after ${Math.round(performance.now() - stoppedAt)} ms`);
    assert.equal(await stopping, 0);
    assert.equal(subscription.closed, 1001);
    assert.ok(readiness.includes("503"), readiness.join());
    // The signal takes a moment to arrive. After the first 503, /ready must not return 200 again.
    assert.equal(readiness.slice(readiness.indexOf("503")).includes("200"), false, readiness.join());
    load.enter("one serves");
    await load.responded(responses);
    leaving.start();
    await leaving.ready();
    load.enter("both again");
    await load.responded(responses);
    await load.stop();
    over.abort();
    await probing;
    for (const line of load.report()) t.diagnostic(line);
    assert.deepEqual(load.failed(), []);
    assert.ok(staying.isRunning);
  });
});

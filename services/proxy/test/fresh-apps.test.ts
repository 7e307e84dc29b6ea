import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually, FakeClock } from "@appserver/testing/kit";
import { app, echo, route, TestProxy } from "./fakes.ts";

const path = "/api/apps/demo/x";

/** A proxy that knows its app as unhealthy. */
async function scene(t: TestContext) {
  const clock = new FakeClock();
  const proxy = new TestProxy({ clock });
  t.after(() => proxy.stop());
  const url = await proxy.upstream(echo);
  const put = (unavailable?: string) => {
    const upstream = unavailable === undefined ? { url, managed: true } : { unavailable };
    proxy.apps.set("demo", app({ url, upstream, api: { routes: [route("/x")] } }));
    proxy.proxy.refreshApp("demo");
  };
  await proxy.start();
  put("unhealthy");
  return { clock, proxy, put };
}

test("a request to an app that serves by now is forwarded, although no event has arrived yet", async (t) => {
  const { proxy, put } = await scene(t);
  proxy.refresh = async (name) => {
    assert.equal(name, "demo");
    put();
  };
  assert.equal((await proxy.fetch(path)).status, 200);
});

test("a request to an app that still does not serve is refused after the read, also if that failed", async (t) => {
  const { clock, proxy } = await scene(t);
  for (const read of [async () => {}, () => Promise.reject(new Error("the database is unreachable"))]) {
    proxy.refresh = read;
    const { status, headers } = await proxy.fetch(path);
    assert.deepEqual([status, headers["retry-after"]], [503, "5"]);
    await clock.advance(1_000);
  }
});

test("a read that does not end holds a request for one second", async (t) => {
  const { clock, proxy } = await scene(t);
  proxy.refresh = () => new Promise(() => {});
  const answer = proxy.fetch(path);
  await eventually(
    () => clock.sleeping,
    (sleeping) => sleeping === 1,
  );
  await clock.advance(1_000);
  assert.equal((await answer).status, 503);
});

test("requests that come in between share the next read", async (t) => {
  const { clock, proxy, put } = await scene(t);
  let reads = 0;
  proxy.refresh = async () => {
    reads += 1;
    if (reads === 2) put();
  };
  assert.equal((await proxy.fetch(path)).status, 503);
  const answers = Array.from({ length: 20 }, () => proxy.fetch(path));
  let arrived = 0;
  const others = answers.map((answer) => answer.finally(() => (arrived += 1)));
  await eventually(
    () => clock.sleeping,
    (sleeping) => sleeping === 1,
  );
  await clock.advance(99);
  assert.deepEqual([reads, arrived], [1, 0]);
  await clock.advance(1);
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  assert.deepEqual([reads, ...new Set(statuses)], [2, 200]);
});

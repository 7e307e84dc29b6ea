import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { ChangeNotice } from "./change-notice.ts";

test("changes are notified at most once a second, and the last one always", async () => {
  const clock = new FakeClock();
  let notified = 0;
  const notice = new ChangeNotice(() => {
    notified += 1;
  }, clock);
  const changes = async (count: number, ms: number): Promise<number> => {
    for (let i = 0; i < count; i += 1) notice.changed();
    await clock.advance(ms);
    return notified;
  };
  assert.equal(await changes(10, 0), 1);
  assert.equal(await changes(10, 999), 1);
  assert.equal(await changes(0, 1), 2);
  assert.equal(await changes(0, 5_000), 2);
  assert.equal(await changes(1, 0), 3);
  notice.changed();
  notice.stop();
  assert.equal(await changes(1, 5_000), 3);
});

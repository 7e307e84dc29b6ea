import assert from "node:assert/strict";
import { test } from "node:test";
import { Mailbox } from "./mailbox.ts";

async function all<T>(mailbox: Mailbox<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of mailbox) items.push(item);
  return items;
}

const end = { value: undefined, done: true };

test("items come out in order, whether they were waited for or not", async () => {
  const mailbox = new Mailbox<number>();
  const reading = all(mailbox);
  mailbox.push(1);
  await Promise.resolve();
  for (const item of [2, 3]) mailbox.push(item);
  mailbox.close();
  mailbox.push(4);
  assert.deepEqual(await reading, [1, 2, 3]);
  assert.equal(mailbox.isClosed, true);
});

test("a full mailbox takes nothing more", async () => {
  const mailbox = new Mailbox<number>(2);
  const first = mailbox.next();
  assert.deepEqual(
    [1, 2, 3, 4].map((item) => mailbox.push(item)),
    [true, true, true, false],
  );
  assert.deepEqual(await first, { value: 1, done: false });
  assert.deepEqual(await mailbox.next(), { value: 2, done: false });
  assert.equal(mailbox.push(5), true);
});

test("an error comes once, after the items that wait", async () => {
  const mailbox = new Mailbox<number>();
  mailbox.push(1);
  mailbox.close(new Error("broken"));
  mailbox.close();
  assert.deepEqual(await mailbox.next(), { value: 1, done: false });
  await assert.rejects(mailbox.next(), /broken/);
  assert.deepEqual(await mailbox.next(), end);
});

test("closing ends the reads that wait", async () => {
  const mailbox = new Mailbox<number>();
  const reads = Promise.allSettled([mailbox.next(), mailbox.next()]);
  mailbox.close(new Error("broken"));
  assert.deepEqual(
    (await reads).map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
});

test("a consumer that leaves ends the mailbox at once", async () => {
  const mailbox = new Mailbox<number>();
  const waiting = mailbox.next();
  assert.deepEqual(await mailbox.return(), end);
  assert.deepEqual(await waiting, end);
  const other = new Mailbox<number>();
  other.push(1);
  other.close(new Error("unread"));
  await other.return();
  assert.deepEqual(await other.next(), end);
});

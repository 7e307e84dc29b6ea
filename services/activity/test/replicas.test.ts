import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type WorkRequest, WorkRequestSchema, type WorkResponse } from "@appserver/contracts/proto/appserver/v2/activity";
import { callBy, eventually } from "@appserver/testing/kit";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { watchRun } from "../src/use-cases/read-runs.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { app, notes, type Replica, startActivity, type TestActivity, testDefinition, unknown } from "./fixtures.ts";

describe("workers on several replicas", () => {
  let service: TestActivity;
  let other: Replica;

  before(async () => {
    service = await startActivity([testDefinition({ name: "count" })]);
    other = await service.replica();
  });
  after(() => service?.stop());

  const trigger = (replica: Replica) =>
    triggerActivity(replica.context, { appName: notes, activity: "count", input: undefined }, callBy(app));

  test("a trigger and a cancel on one replica reach a worker on the other, and watchers see both", async () => {
    const worker = new Worker(other);
    worker.send({ case: "ready", value: { activities: ["count"], slots: 1 } });
    await worker.settled;
    const run = await trigger(service.activity);
    const assigned = await worker.next("assign");
    assert.equal(assigned.id, run.id);

    const seen: string[] = [];
    const watching = (async () => {
      for await (const { status, stage } of watchRun(service.activity.context, run.id, callBy(app)))
        seen.push(stage === undefined ? status : `${status} ${stage}`);
    })();
    worker.send({ case: "progress", value: { runId: run.id, progress: 0.5, stage: "half" } });
    await eventually(() => seen.includes("RUNNING half"));
    await service.activity.context.runs.cancel(run.id);
    assert.equal((await worker.next("cancel")).runId, run.id);
    worker.send({ case: "result", value: { runId: run.id, outcome: { case: "canceled", value: true } } });
    assert.equal((await worker.next("settled")).accepted, true);
    await watching;
    assert.equal(seen[0]?.startsWith("RUNNING"), true);
    assert.equal(seen.at(-1), "CANCELED half");
    await worker.stop();
  });

  test("a watcher does not end with the service: its client would believe that nothing more follows", async () => {
    const replica = await service.replica();
    const run = await trigger(replica);
    const connection = new AbortController();
    const watching = watchRun(replica.context, run.id, callBy(app, { signal: connection.signal }));
    assert.equal((await watching.next()).value?.id, run.id);
    const following = watching.next();
    let isOver = false;
    void following.then(() => {
      isOver = true;
    });
    await replica.stop?.();
    await new Promise(setImmediate);
    assert.equal(isOver, false);
    connection.abort();
    assert.equal((await following).done, true);
    await service.activity.context.runs.cancel(run.id);
  });

  test("runs of a disabled app wait until it is enabled", async () => {
    const enabled = service.apps.get(notes);
    assert.ok(enabled);
    service.apps.set(notes, { ...enabled, isDisabled: true });
    const worker = new Worker(other);
    worker.send({ case: "ready", value: { activities: ["count"], capacity: 2 } });
    await worker.settled;
    const first = await trigger(service.activity);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await other.context.runReads.list({ appName: notes, status: "QUEUED", limit: 5 })).items[0]?.id, first.id);
    service.apps.set(notes, enabled);
    const second = await trigger(service.activity);
    const assigned = [await worker.next("assign"), await worker.next("assign")].map(({ id }) => id);
    assert.deepEqual(assigned, [first.id, second.id]);
    for (const runId of assigned) {
      worker.send({ case: "result", value: { runId, outcome: { case: "canceled", value: true } } });
      await worker.next("settled");
    }
    await worker.stop();
  });

  test("a worker whose stream broke continues over another replica, with the attempt it names", async () => {
    const before = new Worker(service.activity);
    before.send({ case: "ready", value: { activities: ["count"], capacity: 1 } });
    const run = await trigger(other);
    const { attempt } = await before.next("assign");
    await before.stop();

    const later = new Worker(other);
    later.send({ case: "ready", value: { activities: ["count"], capacity: 1 } });
    later.send({ case: "heartbeat", value: { runId: run.id, attempt } });
    later.send({ case: "heartbeat", value: { runId: unknown, attempt: 1 } });
    // Stored together with the previous one.
    assert.equal((await later.next("cancel")).runId, unknown);
    // The worker holds a run, so it has no capacity for another.
    const waiting = await trigger(other);
    later.send({ case: "result", value: { runId: run.id, attempt, outcome: { case: "output", value: {} } } });
    const settled = await later.next("settled");
    assert.deepEqual([settled.runId, settled.accepted], [run.id, true]);
    const next = await later.next("assign");
    assert.equal(next.id, waiting.id);
    // A worker that does not name the attempt and never received the run holds nothing.
    const stranger = new Worker(service.activity);
    stranger.send({ case: "heartbeat", value: { runId: waiting.id } });
    assert.equal((await stranger.next("cancel")).runId, waiting.id);
    await stranger.stop();
    later.send({ case: "result", value: { runId: waiting.id, outcome: { case: "output", value: {} } } });
    assert.equal((await later.next("settled")).accepted, true);
    await later.stop();
  });
});

type Message = NonNullable<MessageInitShape<typeof WorkRequestSchema>["message"]>;
type Case = NonNullable<WorkResponse["message"]["case"]>;
type ValueOf<C extends Case> = Extract<WorkResponse["message"], { case: C }>["value"];

/** A worker's stream directly into a replica, without a network. */
class Worker {
  readonly #responses: AsyncGenerator<WorkResponse>;
  readonly #stop = new AbortController();
  readonly #messages: WorkRequest[] = [];
  #wake = (): void => {};
  #taken: () => void = () => {};

  constructor(replica: Replica) {
    this.#responses = replica.grpc.work(this.#requests(), callBy(app, { signal: this.#stop.signal }));
  }

  send(message: Message): void {
    this.#messages.push(create(WorkRequestSchema, { message }));
    this.#wake();
  }

  /** Resolves when the replica reads beyond the sent messages. */
  get settled(): Promise<void> {
    this.#pending ??= this.#responses.next();
    return new Promise((resolve) => {
      this.#taken = resolve;
      this.#wake();
    });
  }

  #pending: Promise<IteratorResult<WorkResponse>> | undefined;

  /** Returns the next message, which must be of this kind. */
  async next<C extends Case>(kind: C): Promise<ValueOf<C>> {
    const pending = this.#pending ?? this.#responses.next();
    this.#pending = undefined;
    const { value } = (await pending) as { value: WorkResponse | undefined };
    assert.equal(value?.message.case, kind);
    return value?.message.value as ValueOf<C>;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    for await (const _ of this.#responses);
  }

  async *#requests(): AsyncGenerator<WorkRequest> {
    while (!this.#stop.signal.aborted) {
      const message = this.#messages.shift();
      if (message) {
        yield message;
      } else {
        this.#taken();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  asReceived,
  failuresOf,
  type OutgoingMessage,
  type ReceivedMessage,
  toDeadLetter,
  toDeadLetterMessage,
  toEvent,
  toMessage,
  UnreadableMessage,
} from "./event-message.ts";

const event: EventEnvelope = {
  id: "0198a5f0-0000-7000-8000-000000000001",
  type: "app.installed",
  source: "/appserver/test",
  subject: "com.example.notes",
  time: "2026-01-02T03:04:05.678Z",
  sequence: 2 ** 40,
  actor: "user:alice",
  body: { AppName: "com.example.notes" },
};

/** Returns the message as the library delivers it: JSON is parsed if the content type is JSON. */
const arrived = ({ properties, body }: OutgoingMessage, routingKey = "app.installed"): ReceivedMessage => ({
  ...properties,
  durable: true,
  routingKey,
  body: properties.contentType === "application/json" ? JSON.parse(body.toString()) : body,
});
const foreign = (body: unknown, rest: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
  routingKey: "app.installed",
  body: typeof body === "string" ? Buffer.from(body) : body,
  ...rest,
});

describe("the platform's messages", () => {
  test("carry CloudEvents headers and plain JSON as body", () => {
    const { properties, body } = toMessage(event);
    assert.deepEqual(properties.headers, {
      "cloudEvents:specversion": "1.0",
      "cloudEvents:id": event.id,
      "cloudEvents:source": "/appserver/test",
      "cloudEvents:type": "app.installed",
      "cloudEvents:subject": "com.example.notes",
      "cloudEvents:time": "2026-01-02T03:04:05.678Z",
      "cloudEvents:sequence": "1099511627776",
      "cloudEvents:actor": "user:alice",
    });
    assert.deepEqual(JSON.parse(body.toString()), event.body);
    assert.equal(properties.durable, true);
  });

  test("are sent also with an id that no AMQP property can hold", () => {
    const long = { ...event, id: "i".repeat(300) };
    const message = toMessage(long);
    assert.ok(!("messageId" in message.properties));
    assert.deepEqual(toEvent(arrived(message)), long);
  });

  test("are read as they were written, also after a retry", () => {
    assert.deepEqual(toEvent(arrived(toMessage(event))), event);
    const retried = arrived(toMessage(event, 2), "appserver.subscriber.app.installed");
    assert.deepEqual(toEvent(retried), event);
    assert.deepEqual(failuresOf(retried), { rejections: 2, returns: 0 });
  });

  test("count redeliveries by the broker: exactly on quorum queues, at least once on others", () => {
    assert.equal(
      failuresOf({ ...arrived(toMessage(event)), headers: { "x-delivery-count": 3 }, redelivered: true }).returns,
      3,
    );
    assert.equal(failuresOf({ ...arrived(toMessage(event)), redelivered: true }).returns, 1);
  });
});

describe("messages of other publishers (docs/interface/events.md#envelope)", () => {
  for (const key of ["AppName", "app_name"]) {
    test(`have the app of ${key} as their subject and the routing key as their type`, () => {
      const body = { [key]: "com.example.notes", AppID: "42", timestamp: "2026-01-02T03:04:05Z" };
      const { id, ...rest } = toEvent(foreign(JSON.stringify(body)));
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(rest, {
        type: "app.installed",
        source: "/amqp/unknown",
        subject: "com.example.notes",
        time: "2026-01-02T03:04:05.000Z",
        body,
      });
    });
  }

  test("have the same id at every delivery, and another id for other content or another time", () => {
    const id = (rest: Partial<ReceivedMessage> = {}, text = '{"AppName":"a"}') => toEvent(foreign(text, rest)).id;
    assert.equal(id(), id({ redelivered: true }));
    const others = [id(), id({}, '{"AppName":"b"}'), id({ routingKey: "app.uninstalled" }), id({ timestamp: 1_700_000_000 })];
    assert.equal(new Set(others).size, 4);
    assert.equal(id({ messageId: "theirs" }), "theirs");
  });

  test("may use the other header prefix of the CloudEvents binding", () => {
    const headers = { cloudEvents_id: "i", cloudEvents_type: "t", cloudEvents_source: "/s", cloudEvents_subject: "x" };
    const { id, type, source, subject } = toEvent(foreign("{}", { headers }));
    assert.deepEqual([id, type, source, subject], ["i", "t", "/s", "x"]);
  });

  test("without an app name have no subject; the handler decides what to do with them", () => {
    assert.equal(toEvent(foreign("{}")).subject, "");
  });

  for (const text of ["", "no JSON", "[1]", "null", "7", '"text"']) {
    test(`are unreadable when the body is ${text || "empty"}`, () => {
      assert.throws(() => toEvent(foreign(text)), UnreadableMessage);
    });
  }
});

describe("dead letters", () => {
  const at = new Date("2026-05-06T07:08:09.010Z");

  test("contain the failed event, its attempts, the time and the reason", () => {
    const message = toDeadLetterMessage(toMessage(event), { queue: "q", attempts: 3, error: "why", at });
    assert.deepEqual(toDeadLetter("q", arrived(message, "q")), { event, queue: "q", attempts: 3, error: "why", at });
  });

  test("that are unreadable keep their bytes", () => {
    const bytes = Buffer.from([0xff, 0x00, 0x7b]);
    const received: ReceivedMessage = {
      routingKey: "app.installed",
      body: bytes,
      contentType: "image/png",
      headers: { "x-death": [] },
    };
    const message = toDeadLetterMessage(asReceived(received), { queue: "q", attempts: 1, error: "not JSON", at });
    assert.deepEqual([message.body, message.properties.contentType], [bytes, "image/png"]);
    const letter = toDeadLetter("q", arrived(message, "q"));
    assert.deepEqual([letter.error, letter.event.body], ["not JSON", { unreadable: "\ufffd\0{" }]);
  });

  test("moved by the broker itself have the broker's reason", () => {
    const headers = { ...toMessage(event).properties.headers, "x-death": [{ reason: "delivery_limit", time: 1_777_777_777 }] };
    const letter = toDeadLetter("q", { ...arrived(toMessage(event), "q"), headers });
    assert.deepEqual([letter.error, letter.at], ["moved by the broker: delivery_limit", new Date(1_777_777_777_000)]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { AppDatabaseSchema } from "../generated/proto/appserver/v2/marketplace_pb.js";
import { objectOf } from "../graphql/object-of.ts";
import { messageOf } from "./message-of.ts";

const measuredAt = new Date("2026-01-02T03:04:05Z");
const database = { usedBytes: 1n, limitBytes: 2n, measuredAt, fullSince: undefined, other: "not of the message" };

test("a message takes its fields by name, with timestamps from dates", () => {
  const message = messageOf(AppDatabaseSchema, database);
  assert.deepEqual([message.usedBytes, message.limitBytes, message.fullSince], [1n, 2n, undefined]);
  assert.ok(message.measuredAt);
  assert.deepEqual(timestampDate(message.measuredAt), measuredAt);
  assert.equal("other" in message, false);
});

test("a field that the record does not have, or has with another type, is a compile error", () => {
  const { fullSince: _, ...incomplete } = database;
  // @ts-expect-error The optional field fullSince is missing.
  messageOf(AppDatabaseSchema, incomplete);
  // @ts-expect-error The field has another type.
  messageOf(AppDatabaseSchema, { ...database, usedBytes: 1 });
  const shown = (record: { readonly name: string }): { readonly name: string; readonly note?: string | null } =>
    // @ts-expect-error The nullable field note is missing.
    objectOf(record);
  assert.deepEqual(shown({ name: "a" }), { name: "a" });
});

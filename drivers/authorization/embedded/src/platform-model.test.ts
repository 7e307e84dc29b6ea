import assert from "node:assert/strict";
import test from "node:test";
import { authorizationModel, initialTuples, installationTuples, scopeObject } from "@appserver/contracts/authorization";
import { evaluateCheck } from "./evaluate-check.ts";
import { compileModel, type Model } from "./model.ts";
import { TupleIndex } from "./tuple-index.ts";
import { invalidTuple } from "./validate-tuple.ts";

const notes = "com.example.notes";
const tuples = [
  ...initialTuples,
  ...installationTuples(notes, ["notes:read", "notes:write", "notes:purge"]),
  { user: "user:admin", relation: "assignee", object: "role:easy" },
  { user: "user:alice", relation: "viewer", object: `app:${notes}` },
  { user: "app:com.example.clock", relation: "viewer", object: `app:${notes}` },
];
const model: Model = await compileModel(authorizationModel);
const index = new TupleIndex(model, tuples);

function holds(user: string, permission: string, app?: string): boolean {
  return evaluateCheck(model, index, { user, relation: "holder", object: scopeObject(permission, app) });
}

test("the platform's model accepts every tuple that set-up and installation write", () => {
  for (const tuple of tuples) assert.equal(invalidTuple(model, tuple), undefined);
});

test("administrators hold every scope, viewers the read scopes, other users none", () => {
  for (const scope of ["notes:read", "notes:write", "notes:purge"]) assert.equal(holds("user:admin", scope, notes), true);
  assert.equal(holds("user:alice", "notes:read", notes), true);
  assert.equal(holds("app:com.example.clock", "notes:read", notes), true);
  assert.equal(holds("user:alice", "notes:write", notes), false);
  assert.equal(holds("user:bob", "notes:read", notes), false);
  assert.equal(holds("user:admin", "app:install"), true);
  assert.equal(holds("user:alice", "app:install"), false);
});

test("an app's scope grants nothing on another app's scope of the same name", () => {
  assert.equal(holds("user:alice", "notes:read", "com.example.other"), false);
});

test("groups nested in each other without end cause an error, not an endless search", () => {
  const groups = Array.from({ length: 40 }, (_, n) => `role:r${n}`);
  const dense = new TupleIndex(
    model,
    groups.flatMap((object) => groups.map((other) => ({ user: `${other}#assignee`, relation: "assignee", object }))),
  );
  assert.throws(
    () => evaluateCheck(model, dense, { user: "user:ann", relation: "assignee", object: "role:r0" }),
    /too complex/,
  );
});

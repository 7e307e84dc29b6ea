import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { Authorization, Tuple } from "@appserver/kernel/ports";
import { rejectsWith } from "@appserver/testing/basics";

/** The model of the suite. */
export const suiteModel = `model
  schema 1.1
type user
type role
  relations
    define assignee: [user, role#assignee]
type app
  relations
    define owner: [user, role#assignee]
    define banned: [user]
    define viewer: ([user, user:*, role#assignee] or owner) but not banned
type scope
  relations
    define on: [app]
    define holder: viewer from on
`;

export interface AuthorizationUnderTest {
  readonly authorization: Authorization;
  /**
   * Disconnects the driver from its backend, and waits as long as it may still return cached results. Absent if the driver has
   * no backend.
   */
  readonly cutOff?: () => Promise<void>;
  close(): Promise<void>;
}

/** Declares the tests that every driver of the family must pass. `open` returns one with no tuples, on {@link suiteModel}. */
export function authorizationSuite(
  name: string,
  open: () => Promise<AuthorizationUnderTest>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`authorization: ${name}`, { skip: options.skip ?? false }, () => {
    let driver: AuthorizationUnderTest;
    let authorization: Authorization;

    before(async () => {
      driver = await open();
      authorization = driver.authorization;
    });

    after(() => driver.close());

    it("follows roles, hierarchies and objects, and excludes banned users", async () => {
      await authorization.write({
        writes: [
          tuple("user:ann", "assignee", "role:staff"),
          tuple("role:staff#assignee", "owner", "app:notes"),
          tuple("app:notes", "on", "scope:read"),
          tuple("user:*", "viewer", "app:public"),
          tuple("user:bad", "banned", "app:public"),
        ],
      });
      assert.equal(await authorization.check(tuple("user:ann", "holder", "scope:read")), true);
      assert.equal(await authorization.check(tuple("user:bob", "holder", "scope:read")), false);
      assert.equal(await authorization.check(tuple("user:bob", "viewer", "app:public")), true);
      assert.equal(await authorization.check(tuple("user:bad", "viewer", "app:public")), false);
    });

    it("uses contextual tuples for one check only", async () => {
      const question = tuple("user:ctx", "viewer", "app:contextual");
      assert.equal(await authorization.check({ ...question, contextualTuples: [question] }), true);
      assert.equal(await authorization.check(question), false);
    });

    it("returns the results of a batch in order", async () => {
      await authorization.write({ writes: [tuple("user:b1", "owner", "app:batch"), tuple("user:b3", "owner", "app:batch")] });
      const requests = ["user:b1", "user:b2", "user:b3", "user:b2"].map((user) => tuple(user, "viewer", "app:batch"));
      assert.deepEqual(await authorization.batchCheck(requests), [true, false, true, false]);
      assert.deepEqual(await authorization.batchCheck([]), []);
    });

    it("accepts a write of an existing tuple and a delete of a missing one", async () => {
      const owner = tuple("user:twice", "owner", "app:idempotent");
      await authorization.write({ writes: [owner, owner] });
      await authorization.write({ writes: [owner] });
      assert.deepEqual(await authorization.read({ object: "app:idempotent" }), [owner]);
      await authorization.write({ deletes: [owner] });
      await authorization.write({ deletes: [owner] });
      assert.deepEqual(await authorization.read({ object: "app:idempotent" }), []);
      assert.equal(await authorization.check(owner), false);
    });

    it("writes and deletes in one change", async () => {
      await authorization.write({ writes: [tuple("user:old", "owner", "app:handover")] });
      await authorization.write({
        writes: [tuple("user:new", "owner", "app:handover")],
        deletes: [tuple("user:old", "owner", "app:handover")],
      });
      assert.deepEqual(await authorization.read({ object: "app:handover" }), [tuple("user:new", "owner", "app:handover")]);
    });

    it("changes nothing if one tuple is refused", async () => {
      const kept = tuple("user:kept", "owner", "app:atomic");
      await authorization.write({ writes: [kept] });
      await refused(
        authorization.write({
          writes: [tuple("user:fine", "owner", "app:atomic"), tuple("robot:1", "owner", "app:atomic")],
          deletes: [kept],
        }),
      );
      assert.deepEqual(await authorization.read({ object: "app:atomic" }), [kept]);
    });

    it("refuses tuples that the model does not allow, with INVALID_REQUEST", async () => {
      for (const invalid of [
        tuple("user", "owner", "app:x"),
        tuple("user:a b", "owner", "app:x"),
        tuple("user:a", "owner", "app"),
        tuple("user:a", "owner", "app:*"),
        tuple("user:a", "unknown", "app:x"),
        tuple("user:a", "owner", "unknown:x"),
        tuple("unknown:a", "owner", "app:x"),
        tuple("user:*", "owner", "app:x"),
        tuple("role:r", "owner", "app:x"),
        tuple("role:r#unknown", "owner", "app:x"),
        tuple("user:a", "holder", "scope:x"),
        tuple("app:*", "on", "scope:x"),
      ]) {
        await refused(authorization.write({ writes: [invalid] }), JSON.stringify(invalid));
      }
    });

    it("refuses to write and delete the same tuple in one change", async () => {
      const same = tuple("user:both", "owner", "app:x");
      await refused(authorization.write({ writes: [same], deletes: [same] }));
    });

    it("refuses checks that the model does not define, instead of denying", async () => {
      await refused(authorization.check(tuple("user:a", "unknown", "app:x")));
      await refused(authorization.check(tuple("user:a", "owner", "unknown:x")));
      await refused(authorization.check(tuple("nobody", "owner", "app:x")));
      await refused(
        authorization.check({
          ...tuple("user:a", "owner", "app:x"),
          contextualTuples: [tuple("robot:1", "owner", "app:x")],
        }),
      );
    });

    it("reads by every part and by type", async () => {
      const first = tuple("user:reader", "owner", "app:read-1");
      const second = tuple("user:reader", "banned", "app:read-2");
      const third = tuple("user:reader", "assignee", "role:readers");
      const other = tuple("user:else", "owner", "app:read-1");
      await authorization.write({ writes: [first, second, third, other] });
      assert.deepEqual(sorted(await authorization.read({ object: "app:read-1" })), sorted([first, other]));
      assert.deepEqual(sorted(await authorization.read({ user: "user:reader", object: "app:" })), sorted([first, second]));
      assert.deepEqual(await authorization.read({ user: "user:reader", relation: "owner", object: "app:" }), [first]);
      assert.deepEqual(sorted(await authorization.read({ user: "user:reader" })), sorted([first, second, third]));
      assert.deepEqual(await authorization.read({ object: "app:read-" }), []);
    });

    it("accepts more checks than a backend takes in one request, refuses them as a whole, and returns as many results in order", async () => {
      const many = Array.from({ length: 250 }, (_, n) => tuple(`user:many-${n}`, "owner", "app:many"));
      await refused(authorization.write({ writes: [...many, tuple("robot:1", "owner", "app:many")] }));
      assert.deepEqual(await authorization.read({ object: "app:many" }), []);
      await authorization.write({ writes: many });
      await authorization.write({ writes: many, deletes: [tuple("user:ann", "owner", "app:many")] });
      assert.equal((await authorization.read({ object: "app:many" })).length, 250);
      const checks = many.flatMap((granted) => [granted, { ...granted, relation: "banned" }]);
      assert.deepEqual(
        await authorization.batchCheck(checks),
        checks.map(({ relation }) => relation === "owner"),
      );
      await authorization.write({ deletes: many });
      assert.deepEqual(await authorization.read({ object: "app:many" }), []);
    });

    it("responds to a ping", async () => {
      await authorization.ping(5_000);
    });

    // Last, because the driver cannot be used afterwards.
    it("throws SERVICE_UNAVAILABLE when disconnected, and returns neither yes nor no", async (context) => {
      if (!driver.cutOff) {
        context.skip("this driver has no backend to be cut off from");
        return;
      }
      const granted = tuple("user:ann", "owner", "app:notes");
      assert.equal(await authorization.check(granted), true);
      await driver.cutOff();
      await assert.rejects(authorization.check(granted), rejectsWith("SERVICE_UNAVAILABLE"));
      await assert.rejects(authorization.batchCheck([granted]), rejectsWith("SERVICE_UNAVAILABLE"));
      await assert.rejects(authorization.write({ writes: [granted] }), rejectsWith("SERVICE_UNAVAILABLE"));
      await assert.rejects(authorization.read({ object: "app:notes" }), rejectsWith("SERVICE_UNAVAILABLE"));
      await assert.rejects(authorization.ping(1_000), rejectsWith("SERVICE_UNAVAILABLE"));
    });
  });
}

function tuple(user: string, relation: string, object: string): Tuple {
  return { user, relation, object };
}

function sorted(tuples: readonly Tuple[]): string[] {
  return tuples.map(({ user, relation, object }) => `${object}#${relation}@${user}`).sort();
}

function refused(work: Promise<unknown>, message?: string): Promise<void> {
  return assert.rejects(work, (error) => isAppError(error, "INVALID_REQUEST"), message);
}

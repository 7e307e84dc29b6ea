import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AccountsUnderTest } from "../../test/accounts-under-test.ts";
import { Memberships, ScimClient, scimToken } from "../../test/scim-client.ts";

/** A published request of a client, and the expected response. */
interface Step {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body?: object;
  readonly status: number;
  /** The response has these values. Lists have as many elements. */
  readonly answer?: object;
  readonly absent?: readonly string[];
  /** Under which name later steps have the id: `{user}`. */
  readonly save?: string;
  /** The groups of people that were written as permissions. */
  readonly groups?: Readonly<Record<string, readonly string[] | null>>;
}

for (const client of ["entra", "okta"])
  describe(`requests of ${client}`, () => {
    const steps: readonly Step[] = JSON.parse(
      readFileSync(join(import.meta.dirname, `../../test/scim/${client}.json`), "utf8"),
    );
    const memberships = new Memberships();
    const ids = new Map<string, string>();
    let accounts: AccountsUnderTest;
    let scim: ScimClient;
    before(async () => {
      accounts = await AccountsUnderTest.open();
      scim = new ScimClient(await accounts.server({ scimToken, groups: memberships }));
    });
    after(() => accounts?.close());
    const filled = <T>(given: T): T =>
      JSON.parse(JSON.stringify(given ?? null).replaceAll(/\{(\w+)\}/g, (text, name) => ids.get(name) ?? text));

    for (const step of steps)
      it(step.name, async () => {
        const { status, body } = await scim.send(step.method, filled(step.target), step.body && filled(step.body));
        assert.equal(status, step.status, JSON.stringify(body));
        if (step.save) ids.set(step.save, body.id);
        if (step.status === 204) assert.equal(body, undefined);
        if (step.answer) requireValues(body, filled(step.answer), "");
        for (const name of step.absent ?? []) assert.equal(body[name], undefined, name);
        for (const [id, expected] of Object.entries(step.groups ?? {}))
          assert.deepEqual(memberships.of(filled(id)) ?? null, expected);
      });
  });

function requireValues(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected !== "object" || expected === null) {
    assert.equal(actual, expected, where);
    return;
  }
  assert.ok(typeof actual === "object" && actual !== null, where);
  if (Array.isArray(expected)) assert.equal((actual as unknown[]).length, expected.length, where);
  for (const [key, value] of Object.entries(expected))
    requireValues((actual as Record<string, unknown>)[key], value, `${where}.${key}`);
}
